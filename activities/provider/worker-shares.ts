import type { Context } from '@temporalio/activity';
import type { ProviderCall } from '../../contract/provider-call.ts';
import type { ProviderLimits } from '../../contract/provider.ts';
import { CallFailed } from './call-failed.ts';
import { WorkerCount } from './worker-count.ts';
import { WorkerShare } from './worker-share.ts';

export class WorkerShares {
  readonly #byKey = new Map<string, { share: WorkerShare; count: WorkerCount }>();

  /** Throws CallFailed if there is no permit and the share is used up. The caller ends the call at the returned share. */
  async startCall(
    { provider, permitMs }: Pick<ProviderCall, 'provider' | 'permitMs'>,
    limits: ProviderLimits,
    context: Context,
  ): Promise<WorkerShare> {
    const { share, count } = this.#of(provider, limits);
    // The server's clock, which all workers share.
    const nowMs = context.info.currentAttemptScheduledTimestampMs;
    if (permitMs !== undefined) {
      share.start(nowMs);
      return share;
    }
    const workers = await count.read(context);
    const waitMs = share.tryStart(workers, nowMs);
    if (waitMs === 0) return share;
    const seconds = Math.ceil(waitMs / 1000);
    throw new CallFailed(
      `The limiter does not respond, and this worker's share of the limits is used up for ${seconds} s`,
      {
        kind: 'share_used_up',
        waitMs,
      },
    );
  }

  #of(key: string, limits: ProviderLimits) {
    const known = this.#byKey.get(key) ?? { share: new WorkerShare(limits), count: new WorkerCount() };
    this.#byKey.set(key, known);
    return known;
  }
}
