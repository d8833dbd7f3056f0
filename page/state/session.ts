import { signal } from '@preact/signals';
import type { PresetsBody } from '../../contract/http/preset.ts';
import type { SessionView } from '../../contract/server/session.ts';
import { ApiError, call, messageOf } from '../api/call.ts';
import { keepToken, readToken } from '../api/token.ts';

export type PresetView = PresetsBody['presets'][number];

export type Session =
  | { state: 'loading' }
  /** `isWrong`: the token that was given is none. */
  | { state: 'signed_out'; isWrong: boolean }
  | { state: 'unreached'; message: string }
  | { state: 'ready'; server: SessionView; presets: readonly PresetView[] };

export const session = signal<Session>({ state: 'loading' });

export async function openSession(): Promise<void> {
  try {
    const [server, { presets }] = await Promise.all([
      call<SessionView>('GET', '/api/session'),
      call<PresetsBody>('GET', '/api/presets'),
    ]);
    // A package is a folder of files, and a result of the page is one file.
    session.value = { state: 'ready', server, presets: presets.filter((preset) => preset.package === undefined) };
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) endSession(readToken() !== undefined);
    else session.value = { state: 'unreached', message: messageOf(error) };
  }
}

export async function signIn(token: string): Promise<void> {
  keepToken(token);
  await openSession();
}

export function endSession(isWrong: boolean): void {
  keepToken(undefined);
  session.value = { state: 'signed_out', isWrong };
}

export function can(scope: SessionView['scopes'][number]): boolean {
  return session.value.state === 'ready' && session.value.server.scopes.includes(scope);
}
