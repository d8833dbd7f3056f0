import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { SharedRun } from '../../contract/server/share.ts';
import { holdfast, messageOf, statusOf } from '../api/holdfast.ts';
import { shareTexts } from '../share-texts.ts';
import { formatMoment } from '../words/format.ts';
import { Results } from './results.tsx';
import { texts } from '../texts.ts';
import '../style/run.css';

type Loaded =
  | { state: 'loading' }
  /** `isFinal`: the link does not exist or has expired. */
  | { state: 'failed'; message: string; isFinal: boolean }
  | { state: 'ready'; run: SharedRun };

/** Results of one run, for people with a share link. The link's ticket is the part after `#`. */
export function SharedPage() {
  const loaded = useSignal<Loaded>({ state: 'loading' });
  const load = async (): Promise<void> => {
    try {
      loaded.value = { state: 'ready', run: await holdfast.shared(location.hash.slice(1)) };
    } catch (error) {
      const isFinal = [404, 410].includes(statusOf(error) ?? 0);
      loaded.value = { state: 'failed', message: messageOf(error), isFinal };
    }
  };
  useEffect(() => {
    const reload = (): void => void load();
    reload();
    addEventListener('hashchange', reload);
    return () => removeEventListener('hashchange', reload);
  }, []);
  const shown = loaded.value;
  return (
    <div class="stack">
      <h1>{shareTexts.page.title}</h1>
      {shown.state === 'loading' && <p class="quiet">{texts.loading}</p>}
      {shown.state === 'failed' && (
        <div class="card" role="alert">
          <p>{shown.message}</p>
          {!shown.isFinal && (
            <button type="button" onClick={() => void load()}>
              {texts.again}
            </button>
          )}
        </div>
      )}
      {shown.state === 'ready' && (
        <>
          <p class="quiet">{shareTexts.page.until(formatMoment(shown.run.expiresAt, Date.now()))}</p>
          <Results
            run={{ ...shown.run, runId: '', input: {}, result: { outputs: shown.run.outputs } }}
            reload={() => void load()}
          />
        </>
      )}
    </div>
  );
}
