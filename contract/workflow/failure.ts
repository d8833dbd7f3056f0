/** `ApplicationFailure.type` of the two outcomes that the retry loop waits for. Every other type ends the run. */
export const retryableFailureTypes = { rateLimited: 'RateLimited', connectionError: 'ConnectionError' } as const;

/** `ApplicationFailure.type` of a run whose next wait would exceed its budget. */
export const retryBudgetExhausted = 'RetryBudgetExhausted';

/** `ApplicationFailure.type` of an input or a result that exceeds Temporal's limits; a retry cannot help. */
export const serverLimitExceeded = 'ServerLimitExceeded';

/** `ApplicationFailure.type` of a chunk that its provider did not process; `details[0]` is a ProviderFailure. */
export const providerFailed = 'ProviderFailed';
/** Type of the failure that the server reports for a run with a result in which some chunks have failed. */
export const chunksFailed = 'ChunksFailed';
/** `ApplicationFailure.type` of a provider key that the worker's PROVIDERS_FILE lacks. */
export const unknownProvider = 'UnknownProvider';

/** `ApplicationFailure.type` of a run whose outputs need a transcript that could not be made completely. */
export const transcriptFailed = 'TranscriptFailed';

/** Targets other than the container that may be unreachable. */
export type Unreached = 'source' | 'store';

/** The unreachable party for each error code; all other codes mean the container. */
export const unreachedByCode: Partial<Record<string, Unreached>> = {
  source_unavailable: 'source',
  upload_failed: 'store',
  upload_urls_missing: 'store',
  credentials_unavailable: 'store',
};

/** `the container was busy 357 times, the source could not be reached 1 time` */
export function obstaclesText(facts: Partial<RunFailure>): string {
  const { rateLimitHits = 0, unreached = {} } = facts;
  const times = (count: number): string => `${count} ${count === 1 ? 'time' : 'times'}`;
  const parties = Object.entries({ container: containerUnreached(facts), ...unreached });
  return [
    ...(rateLimitHits > 0 ? [`the container was busy ${times(rateLimitHits)}`] : []),
    ...parties.flatMap(([who, count]) => (count > 0 ? [`the ${who} could not be reached ${times(count)}`] : [])),
  ].join(', ');
}

/** Number of failed connections to the container itself. */
export function containerUnreached({ connectionErrors, unreached = {} }: Partial<RunFailure>): number {
  return (connectionErrors ?? 0) - Object.values(unreached).reduce((sum, times) => sum + times, 0);
}

/** Removes addresses of containers, which are in the messages of older versions. Owners read messages. */
export function withoutContainerAddress(message: string): string {
  return message
    .replace(/The container at \S+ is not trusted:/, 'The container is not trusted:')
    .replace(/(instead of the container: HTTP \d+ \(to )\S+\)/, '$1another address)')
    .replace(/\S+ is reachable only on \S+\. Set/, 'The container is reachable only on another machine. Set')
    .replace(/(Last error: .*) \(https?:\/\/\S+\)$/s, '$1');
}

/** `details[0]` of the failure that ends a workflow. */
export interface RunFailure {
  lastError: { type: string; message: string };
  attempts: number;
  rateLimitHits: number;
  connectionErrors: number;
  elapsedSeconds: number;
  /** Connection errors that were not the container's. */
  unreached?: Partial<Record<Unreached, number>>;
  /** The container that the last attempt could not reach. No message names it, because owners read messages. */
  containerUrl?: string;
  code?: string;
  details?: Record<string, unknown>;
}
