import { signal } from '@preact/signals';
import { HoldfastClient } from '../../api-client/client.ts';
import type { PresetsBody } from '../../contract/http/preset.ts';
import type { SessionView } from '../../contract/server/session.ts';
import { loginOf, messageOf, statusOf } from '../api/holdfast.ts';
import { keepToken, readToken } from '../api/token.ts';
import { texts } from '../texts.ts';

export type PresetView = PresetsBody['presets'][number];

export type Session =
  /** Also set before the page is loaded again; it ends the uploads. */
  | { state: 'loading' }
  /** `isWrong`: the server refused the token. `login`: path of the sign-in. */
  | { state: 'signed_out'; isWrong: boolean; login?: string | undefined }
  | { state: 'unreached'; message: string }
  /** The page was opened by a share link, which needs no session. */
  | { state: 'shared' }
  | { state: 'ready'; server: SessionView; presets: readonly PresetView[] };

export const session = signal<Session>({ state: 'loading' });

/** The first session of this page. */
let first: SessionView | undefined;

/** Pause before the server is asked again. */
export const retryMs = 3_000;

/** Changes when a page opens its first session. Tabs share a cookie, so the other ones may have another owner now. */
const place = 'holdfast-opened';

addEventListener('storage', ({ key }) => {
  if (key === place && session.value.state === 'ready') void checkSession();
});

function tellTabs(): void {
  try {
    localStorage.setItem(place, new Date().toISOString());
  } catch {
    // The storage is full. Another tab asks for its owner when it reconnects.
  }
}

/** A token that a person has entered. Uploads must not use it before its owner is known. */
let entered: string | undefined;

/** False if the server did not answer. A shown page then stays. */
export async function openSession(): Promise<boolean> {
  const token = entered ?? readToken();
  const client = new HoldfastClient({ token: () => token });
  try {
    const [server, presets] = await Promise.all([client.session(), client.presets()]);
    if (first === undefined) tellTabs();
    first ??= server;
    const isOther = server.owner !== first.owner;
    // The page still has uploads and runs of the other owner.
    if (isOther) session.value = { state: 'loading' };
    entered = undefined;
    keepToken(token);
    if (isOther) location.reload();
    else session.value = { state: 'ready', server, presets };
    return true;
  } catch (error) {
    if (statusOf(error) === 401) {
      endSession(error, token);
      return true;
    }
    if (session.value.state !== 'ready') session.value = { state: 'unreached', message: messageOf(error) };
    return false;
  }
}

/** Asks for the owner of the page until the server answers or the signal aborts. */
export async function checkSession(signal?: AbortSignal): Promise<void> {
  for (;;) {
    if ((await openSession()) || signal?.aborted === true) return;
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}

export async function signIn(token: string): Promise<void> {
  entered = token;
  await openSession();
}

/** Called after the server has refused a request as `unauthorized`. */
export function endSession(error: unknown, token = readToken()): void {
  const before = session.value;
  // Several requests are refused together; the first one takes the token away.
  const isWrong = token !== undefined || (before.state === 'signed_out' && before.isWrong);
  entered = undefined;
  keepToken(undefined);
  session.value = { state: 'signed_out', isWrong, login: loginOf(error) };
}

/** Ends the server's session and forgets the token, with all that the page has loaded. */
export async function signOut(): Promise<void> {
  const mayLeave = dispatchEvent(new Event('beforeunload', { cancelable: true }));
  if (!mayLeave && !confirm(texts.signOutNow)) return;
  session.value = { state: 'loading' };
  await fetch('/logout', { method: 'POST' }).catch(() => undefined);
  keepToken(undefined);
  location.reload();
}

export function can(scope: SessionView['scopes'][number]): boolean {
  return session.value.state === 'ready' && session.value.server.scopes.includes(scope);
}
