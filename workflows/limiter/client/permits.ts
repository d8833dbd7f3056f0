import type { LimiterView } from '../../../contract/limiter.ts';
import type { ProviderPolicy } from '../../../contract/provider.ts';

/** Leave to make one call. */
export interface Grant {
  provider: ProviderPolicy;
  permitId: string;
  /** ms of the epoch. A call that could be running then must not begin; answer `unused` instead. */
  expiresAtMs: number;
  /** The limiter did not answer: only the worker's own limit holds. */
  degraded: boolean;
}

/** How the call went. `unused`: none was made; it is asked for anew, and no attempt. */
export type Called<Result> =
  | { kind: 'ok'; result: Result }
  | { kind: 'rate_limited'; message: string; retryAfterSeconds?: number | undefined }
  | { kind: 'failed'; message: string; result: Result }
  /** An end that says nothing about the provider. */
  | { kind: 'not_judged'; result: Result }
  | { kind: 'unused' };

/** What the chunk's line in the status follows. */
export interface PermitWatch {
  waiting(key: string): void;
  granted(grant: Grant): void;
}

/** What comes out of a call for its caller to decide about; what went back to the queue does not. */
export type CallEnd<Result> = { key: string; degraded: boolean } & (
  | { kind: 'ok'; result: Result }
  | { kind: 'rate_limited'; message: string; retryAfterSeconds?: number | undefined }
  | { kind: 'failed'; message: string; result: Result }
  | { kind: 'not_judged'; result: Result }
);

/** All that has to outlive the run's continuing as new. */
export interface PermitsState {
  unused: { key: string; permitId: string; requestId: string; expiresAtMs: number }[];
  throttles: { key: string; untilMs: number; reason: string }[];
}

/**
 * The limiters of one run's providers, in their order of preference. One for each run.
 * `changed` is called whenever `view()` may have.
 */
export interface Permits {
  /**
   * Waits for a permit of the first key that is not throttled, makes the call under it and gives it back.
   * `requestId` must be the same when the run asks for the same call again after continuing as new, and another one for another call.
   * A rate limit at a key that throttles sends the call back to the queue by itself and comes out as no end.
   */
  withPermit<Result>(
    requestId: string,
    call: (grant: Grant) => Promise<Called<Result>>,
    watch?: PermitWatch,
  ): Promise<CallEnd<Result>>;
  view(): LimiterView[];
  /** Hands out nothing more, and settles when all calls have ended and all mail has gone: continue as new with what it gives. */
  suspend(): Promise<PermitsState>;
  /** Gives back what the run holds and waits for. Call it (outside of cancellation) before the run ends in whatever way. */
  leave(): Promise<void>;
}
