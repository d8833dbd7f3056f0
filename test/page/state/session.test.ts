import { beforeEach, expect, test, vi } from 'vitest';
import type { SessionView } from '../../../contract/server/session.ts';
import { stubPageGlobals } from './page-globals.ts';

stubPageGlobals();
const { HoldfastError } = await import('../../../api-client/holdfast-error.ts');
const { HoldfastClient } = await import('../../../api-client/client.ts');
const { holdfast } = await import('../../../page/api/holdfast.ts');
const { readToken } = await import('../../../page/api/token.ts');
const { openSession, retryMs, session, signIn, signOut } = await import('../../../page/state/session.ts');
const { connection, followRuns, loadRuns } = await import('../../../page/state/runs.ts');
const { watchDetails } = await import('../../../page/state/run-details.ts');

const reload = vi.fn<() => void>();
/** The token that uploads have while the server is asked for the owner of an entered one. */
const tokensWhileAsked: (string | undefined)[] = [];
const signedOut = { state: 'signed_out', isWrong: false } as const;

/** The server accepts the next token for this owner. */
function accept(owner: string): void {
  const view: SessionView = { version: '1', scopes: ['read'], hasTokens: true, owner };
  vi.spyOn(HoldfastClient.prototype, 'session').mockImplementation(async () => {
    tokensWhileAsked.push(readToken());
    return view;
  });
  vi.spyOn(HoldfastClient.prototype, 'presets').mockResolvedValue([]);
}

beforeEach(() => {
  vi.stubGlobal('location', { pathname: '/', search: '', reload });
  reload.mockClear();
});

test('a sign-in by another owner loads the page again, and one by the same owner does not', async () => {
  accept('anna');
  await signIn('token of anna');
  session.value = signedOut;
  await signIn('next token of anna');
  expect([reload.mock.calls.length, session.value.state]).toEqual([0, 'ready']);
  session.value = signedOut;
  accept('bert');
  await signIn('token of bert');
  // Until then, nothing of the page is shown.
  expect([reload.mock.calls.length, session.value.state]).toEqual([1, 'loading']);
  expect(tokensWhileAsked).toEqual([undefined, 'token of anna', 'next token of anna']);
  expect(readToken()).toBe('token of bert');
});

test('a sign-in by another owner in another tab loads the page again', async () => {
  accept('anna');
  await openSession();
  accept('bert');
  dispatchEvent(Object.assign(new Event('storage'), { key: 'holdfast-results' }));
  dispatchEvent(Object.assign(new Event('storage'), { key: 'holdfast-opened' }));
  await vi.waitFor(() => expect(session.value.state).toBe('loading'));
  expect(reload).toHaveBeenCalledTimes(1);
});

test('events after a lost connection are shown only to the owner of the page', async () => {
  accept('anna');
  await openSession();
  const list = vi.spyOn(holdfast, 'list').mockResolvedValue({ runs: [], total: 0 });
  vi.spyOn(holdfast, 'events').mockImplementation(async function* ({ onLost } = {}) {
    yield { event: 'ready', data: { resumed: false } };
    onLost?.(undefined);
    accept('bert');
    yield { event: 'ready', data: { resumed: false } };
  });
  await followRuns(new AbortController().signal);
  expect([connection.value, list.mock.calls.length, session.value.state]).toEqual(['lost', 1, 'loading']);
});

test('a page stays as it is while the server does not answer after a lost connection', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  accept('anna');
  await openSession();
  const list = vi.spyOn(holdfast, 'list').mockClear().mockResolvedValue({ runs: [], total: 0 });
  vi.spyOn(holdfast, 'events').mockImplementation(async function* ({ onLost } = {}) {
    onLost?.(undefined);
    yield { event: 'ready', data: { resumed: false } };
  });
  vi.spyOn(HoldfastClient.prototype, 'presets').mockRejectedValueOnce(new HoldfastError('Busy.', { status: 503 }));
  const following = followRuns(new AbortController().signal);
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1));
  expect([connection.value, list.mock.calls.length, session.value.state]).toEqual(['lost', 0, 'ready']);
  await vi.advanceTimersByTimeAsync(retryMs);
  await following;
  expect([connection.value, list.mock.calls.length, session.value.state]).toEqual(['live', 1, 'ready']);
  vi.useRealTimers();
});

test('a sign-out loads the page again without the token', async () => {
  accept('anna');
  await signIn('token');
  vi.stubGlobal('fetch', async () => new Response());
  await signOut();
  expect([reload.mock.calls.length, readToken()]).toEqual([1, undefined]);
});

test.each([
  ['list', async (): Promise<void> => await loadRuns()],
  ['events', async (): Promise<void> => await followRuns(new AbortController().signal)],
  ['get', async (): Promise<void> => void watchDetails('talk')],
] as const)('offers the sign-in if the session ends before the request of “%s”', async (method, act) => {
  sessionStorage.removeItem('holdfast-token');
  session.value = { state: 'loading' };
  const refusal = new HoldfastError('Sign in.', { status: 401, problem: { code: 'unauthorized', login: '/login' } });
  vi.spyOn(holdfast, method).mockImplementation(() => {
    throw refusal;
  });
  await act();
  expect(session.value).toEqual({ ...signedOut, login: '/login' });
});
