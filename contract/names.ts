/**
 * Every name and figure that two sides must agree on. No imports: workflow code bundles this file at run time.
 */

export const defaultTaskQueue = 'holdfast';

/** The activities that hold a container run on their own queue, served by one-slot workers, so that a backlog waits at the server and not in a busy container. */
export function containerTaskQueue(taskQueue: string): string {
  return `${taskQueue}-container`;
}

/** Calls to a provider hold no container and may take a minute, so each key has a queue, and on each worker slots, of its own: one that hangs takes none of another's. */
export function providerTaskQueue(taskQueue: string, key: string): string {
  return `${taskQueue}-provider-${key}`;
}

/** How many calls for one key a worker makes at once, whatever its gate grants; all that is left where the gate does not answer. */
export const defaultProviderCallsPerWorker = 5;

/** A week and a day: the longest that a provider's quota lasts and somebody still waits for it. */
export const longestProviderWaitSeconds = 8 * 86_400;

export const workflowTypes = { encode: 'encode', chunking: 'chunking', processing: 'processing' } as const;

export const statusQuery = 'status';

/** Sent by an activity to its own workflow when its job in the container starts and advances. */
export const jobProgressSignal = 'job_progress';

/** `ApplicationFailure.type` of the two outcomes that the retry loop waits for. Every other type is fatal. */
export const retryableFailureTypes = { rateLimited: 'RateLimited', connectionError: 'ConnectionError' } as const;

/** `ApplicationFailure.type` of a chunk that its provider did not process; `details[0]` is a ProviderFailure. */
export const providerFailed = 'ProviderFailed';
/** A workflow names a provider that the worker's PROVIDERS_FILE does not. */
export const unknownProvider = 'UnknownProvider';

export const retryBudgetExhausted = 'RetryBudgetExhausted';

/** HTTP status of each error code (contract 1.6). */
export const statusByErrorCode = {
  invalid_request: 400,
  unauthorized: 401,
  source_forbidden: 403,
  upload_forbidden: 403,
  not_found: 404,
  source_not_found: 404,
  source_too_large: 413,
  source_too_long: 413,
  request_too_large: 413,
  unsupported_media_type: 415,
  undecodable_source: 422,
  source_truncated: 422,
  unsupported_format: 422,
  chunk_count_mismatch: 422,
  idempotency_key_reused: 422,
  checksum_mismatch: 422,
  output_invalid: 422,
  upload_refused: 422,
  busy: 429,
  cancelled: 499,
  internal: 500,
  ffmpeg_failed: 500,
  source_unavailable: 502,
  upload_failed: 502,
  timeout: 504,
  stalled: 504,
  draining: 503,
  disk_full: 503,
} as const;

export type ErrorCode = keyof typeof statusByErrorCode;

/** `undecodable_source` → `UndecodableSource`, the type under which a workflow fails. */
export function failureType(code: string): string {
  return code.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** seconds */
export const defaultChunkDuration = 60;
/** seconds */
export const defaultOverlapDuration = 2;

/**
 * How Node is to start the container's process. Media passes through as buffers outside of V8's heap, whose small handles
 * V8 sees no hurry to collect: a young generation of the usual size keeps some 60 MiB of dead buffers (`bench/memory`).
 * scripts/setup.mjs and scripts/image-entrypoint.sh, which cannot import this, say it too.
 */
export const containerNodeFlags = ['--max-semi-space-size=1'] as const;

/** One for each provider's key and environment, on the main task queue (contract/gate.ts). */
export const gateWorkflowType = 'gate';

/** Of `HOLDFAST_ENVIRONMENT`. */
export const defaultGateEnvironment = 'default';

export function gateWorkflowId(environment: string, key: string): string {
  return `gate/${environment}/${key}`;
}

export const gateSignals = {
  /** from holders: requests, reports, withdrawals */
  mail: 'mail',
  /** by hand */
  throttle: 'throttle',
  resume: 'resume',
  setLimits: 'set_limits',
} as const;

export const gateQueries = { stats: 'stats', details: 'details' } as const;

/** Sent by a gate to the workflows that ask it for permits. */
export const gateNewsSignal = 'gate_news';
