import type { Stores } from '../../stores/backends.ts';
import type { SigningStore } from '../../stores/store.ts';
import { ProblemError } from '../problem-error.ts';

/** A healthy store answers at once. */
const answerTimeoutMs = 10_000;

/** Throws the problem `store_unavailable` if the store fails or takes too long. */
export async function askStore<Answer>(
  stores: Stores,
  url: string,
  ask: (store: SigningStore, signal: AbortSignal) => Promise<Answer>,
  timeoutMs = answerTimeoutMs,
): Promise<Answer> {
  try {
    const store = await stores.at(url);
    if (store?.kind !== 'signing') throw new TypeError('its store signs nothing');
    const signal = AbortSignal.timeout(timeoutMs);
    // Some waits of a store's SDK, such as for a credential service, ignore the signal.
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
    return await Promise.race([ask(store, signal), late]);
  } catch (error) {
    const message = 'The store does not answer, or denies the server access. Try again; the server logs the cause.';
    throw Object.assign(new ProblemError('store_unavailable', message), { cause: error });
  }
}
