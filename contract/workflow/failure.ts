/** `ApplicationFailure.type` of the two outcomes that the retry loop waits for. Every other type ends the run. */
export const retryableFailureTypes = { rateLimited: 'RateLimited', connectionError: 'ConnectionError' } as const;

/** `ApplicationFailure.type` of a run whose next wait would exceed its budget. */
export const retryBudgetExhausted = 'RetryBudgetExhausted';

/** `ApplicationFailure.type` where Temporal's server would not keep an input or a result: no other try would help. */
export const serverLimitExceeded = 'ServerLimitExceeded';

/** `ApplicationFailure.type` of a chunk that its provider did not process; `details[0]` is a ProviderFailure. */
export const providerFailed = 'ProviderFailed';
/** A workflow names a provider key that the worker's PROVIDERS_FILE does not have. */
export const unknownProvider = 'UnknownProvider';

/** Who beside the container may not be reached. */
export type Unreached = 'source' | 'store';

/** `, the source 3 times`: after how often the container was not reached. */
export function unreachedText({ unreached = {} }: Partial<RunFailure>): string {
  return Object.entries(unreached)
    .map(([who, times]) => `, the ${who} ${times} ${times === 1 ? 'time' : 'times'}`)
    .join('');
}

/** How often it was the container itself that was not reached. */
export function containerUnreached({ connectionErrors, unreached = {} }: Partial<RunFailure>): number {
  return (connectionErrors ?? 0) - Object.values(unreached).reduce((sum, times) => sum + times, 0);
}

/** The last error, with the address of the container that was not reached. */
export function lastErrorText({ lastError, containerUrl }: Pick<RunFailure, 'lastError' | 'containerUrl'>): string {
  return containerUrl === undefined ? lastError.message : `${lastError.message} (${containerUrl})`;
}

/** `details[0]` of the failure with which a workflow ends. */
export interface RunFailure {
  lastError: { type: string; message: string };
  attempts: number;
  rateLimitHits: number;
  connectionErrors: number;
  elapsedSeconds: number;
  /** Connection errors in which no container was reached. */
  unreached?: Partial<Record<Unreached, number>>;
  /** The container that the last attempt did not reach. */
  containerUrl?: string;
  code?: string;
  details?: Record<string, unknown>;
}
