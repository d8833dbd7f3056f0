import { signal } from '@preact/signals';
import type { PresetsBody } from '../../contract/http/preset.ts';
import type { SessionView } from '../../contract/server/session.ts';
import { holdfast, loginOf, messageOf, statusOf } from '../api/holdfast.ts';
import { keepToken, readToken } from '../api/token.ts';

export type PresetView = PresetsBody['presets'][number];

export type Session =
  | { state: 'loading' }
  /** `isWrong`: the server refused the token. `login`: path of the sign-in. */
  | { state: 'signed_out'; isWrong: boolean; login?: string | undefined }
  | { state: 'unreached'; message: string }
  /** The page was opened by a share link, which needs no session. */
  | { state: 'shared' }
  | { state: 'ready'; server: SessionView; presets: readonly PresetView[] };

export const session = signal<Session>({ state: 'loading' });

export async function openSession(): Promise<void> {
  try {
    const [server, presets] = await Promise.all([holdfast.session(), holdfast.presets()]);
    session.value = { state: 'ready', server, presets };
  } catch (error) {
    if (statusOf(error) === 401) endSession(readToken() !== undefined, loginOf(error));
    else session.value = { state: 'unreached', message: messageOf(error) };
  }
}

export async function signIn(token: string): Promise<void> {
  keepToken(token);
  await openSession();
}

export function endSession(isWrong: boolean, login?: string): void {
  keepToken(undefined);
  session.value = { state: 'signed_out', isWrong, login };
}

/** Ends the server's session and forgets the token. */
export async function signOut(): Promise<void> {
  await fetch('/logout', { method: 'POST' }).catch(() => undefined);
  keepToken(undefined);
  await openSession();
}

export function can(scope: SessionView['scopes'][number]): boolean {
  return session.value.state === 'ready' && session.value.server.scopes.includes(scope);
}
