import { useEffect } from 'preact/hooks';
import { connection, followRuns } from '../state/runs.ts';
import { follow, route } from '../state/route.ts';
import { openSession, retryMs, session, signOut } from '../state/session.ts';
import { later } from './later.tsx';
import { Notices } from './notices.tsx';
import { RunsView } from './runs-view.tsx';
import { texts } from '../texts.ts';

const Login = later(async () => (await import('./login.tsx')).Login);
const RunPage = later(async () => (await import('./run-page.tsx')).RunPage);
const SharedPage = later(async () => (await import('./shared-page.tsx')).SharedPage);
const Operators = later(async () => (await import('./operators.tsx')).Operators);

export function App() {
  const { state } = session.value;
  return (
    <>
      <a class="skip" href="#main">
        {texts.skip}
      </a>
      <Header />
      <main id="main" tabIndex={-1}>
        {state === 'loading' && <p class="quiet">{texts.loading}</p>}
        {state === 'signed_out' && <Login isWrong={session.value.isWrong} login={session.value.login} />}
        {state === 'unreached' && <Unreached message={session.value.message} />}
        {state === 'ready' && <View />}
        {state === 'shared' && <SharedPage />}
      </main>
      <Notices />
    </>
  );
}

function View() {
  useEffect(() => {
    const stop = new AbortController();
    void followRuns(stop.signal);
    return () => stop.abort();
  }, []);
  switch (route.value.view) {
    case 'runs':
      return <RunsView />;
    case 'run':
      return <RunPage id={route.value.id} key={route.value.id} />;
    case 'operators':
      return <Operators />;
  }
}

function Header() {
  const isOpen = session.value.state === 'ready';
  const view = route.value.view;
  return (
    <header class="bar">
      <a class="brand" href="/" onClick={isOpen ? follow : undefined}>
        <Mark />
        <span class="word">{texts.name}</span>
      </a>
      {isOpen && (
        <nav aria-label={texts.nav.label}>
          <a href="/" onClick={follow} aria-current={view === 'operators' ? undefined : 'page'}>
            {texts.nav.runs}
          </a>
          <a href="/operators" onClick={follow} aria-current={view === 'operators' ? 'page' : undefined}>
            {texts.nav.operators}
          </a>
        </nav>
      )}
      {isOpen && (
        <span class={`connection ${connection.value}`} role="status">
          <span class="dot" aria-hidden="true" />
          <span class="word">{texts.connection[connection.value]}</span>
        </span>
      )}
      {session.value.state === 'ready' && session.value.server.hasTokens && (
        <button type="button" class="plain" onClick={() => void signOut()}>
          {texts.signOut}
        </button>
      )}
    </header>
  );
}

function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect class="ground" width="32" height="32" rx="9" />
      {[6, 14, 22, 12, 5].map((height, index) => (
        <rect key={index} class="beat" x={5 + index * 4.75} y={16 - height / 2} width="3" height={height} rx="1.5" />
      ))}
    </svg>
  );
}

function Unreached({ message }: { message: string }) {
  useEffect(() => {
    const timer = setInterval(() => void openSession(), retryMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <div class="card narrow" role="alert">
      <p>{message}</p>
      <button type="button" onClick={() => void openSession()}>
        {texts.again}
      </button>
    </div>
  );
}
