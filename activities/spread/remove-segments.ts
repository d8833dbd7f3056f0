import { Context } from '@temporalio/activity';
import pMap from 'p-map';
import { StorageError } from '../../stores/store-error.ts';
import type { Storage } from '../storage/storage.ts';

const requestsAtOnce = 8;

/** Removes the segments of a run, as far as the store allows. Fails if a retry may remove the others. */
export function removeSegmentsActivity({ storage }: { storage: Storage }) {
  return async function removeSegments(urls: readonly string[]): Promise<void> {
    const { cancellationSignal, log } = Context.current();
    let passing: StorageError | undefined;
    await pMap(
      urls,
      async (url) => {
        await storage.remove(url, cancellationSignal).catch((error: unknown) => {
          log.warn('A segment could not be removed', { url, error });
          if (error instanceof StorageError && error.passing) passing = error;
        });
        Context.current().heartbeat();
      },
      { concurrency: requestsAtOnce },
    );
    if (passing !== undefined) throw passing;
  };
}
