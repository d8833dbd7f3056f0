import { Context } from '@temporalio/activity';
import pMap from 'p-map';
import type { Storage } from '../storage/storage.ts';

const requestsAtOnce = 8;

/** Removes the segments of a run. A file that cannot be removed is logged, and the others are still removed. */
export function removeSegmentsActivity({ storage }: { storage: Storage }) {
  return async function removeSegments(urls: readonly string[]): Promise<void> {
    const { cancellationSignal, log } = Context.current();
    await pMap(
      urls,
      async (url) => {
        await storage.remove(url, cancellationSignal).catch((error: unknown) => {
          log.warn('A segment could not be removed; the lifecycle rule of the store removes it', { url, error });
        });
        Context.current().heartbeat();
      },
      { concurrency: requestsAtOnce },
    );
  };
}
