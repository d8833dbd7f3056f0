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

/** `details[0]` of the failure with which a workflow ends. */
export interface RunFailure {
  lastError: { type: string; message: string };
  attempts: number;
  rateLimitHits: number;
  connectionErrors: number;
  elapsedSeconds: number;
  code?: string;
  details?: Record<string, unknown>;
}
