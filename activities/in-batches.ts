import { setImmediate } from 'node:timers/promises';

/** Signing a batch takes tens of milliseconds, or one request's time if the store's provider signs. */
const batchSize = 50;

/**
 * Maps items in batches and lets timers run in between: thousands of signatures in a row would delay heartbeats by
 * seconds.
 */
export async function mapInBatches<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let done = 0; done < items.length; done += batchSize) {
    results.push(...(await Promise.all(items.slice(done, done + batchSize).map(map))));
    await setImmediate();
  }
  return results;
}
