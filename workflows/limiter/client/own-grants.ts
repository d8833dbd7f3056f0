import type { Holder, Permit } from '../../../contract/limiter.ts';
import type { ProviderLimits } from '../../../contract/provider.ts';
import type { CallOutcome } from './call-outcome.ts';

/** A worker's share may be used up for an hour, but the limiter or another worker may respond sooner. */
const longestPauseMs = 300_000;
const firstPauseMs = 1_000;

/**
 * Permits that a run grants itself while its limiter is silent, at first up to the limiter's maximum at once. A worker
 * rejects a call if its share is used up. The run then tries one call at a time, with growing pauses, until a call is
 * made.
 */
export class OwnGrants {
  readonly #limits: ProviderLimits;
  readonly #holder: Holder;
  #granted = 0;
  #atOnce: number;
  #heldBackInRow = 0;
  #closedUntilMs = 0;

  constructor(limits: ProviderLimits, holder: Holder) {
    this.#limits = limits;
    this.#holder = holder;
    this.#atOnce = limits.maxConcurrent;
  }

  /** ms of the epoch */
  get closedUntilMs(): number {
    return this.#closedUntilMs;
  }

  mayGrant(held: number, nowMs: number): boolean {
    return held < this.#atOnce && nowMs >= this.#closedUntilMs;
  }

  grant(requestId: string, nowMs: number): Permit {
    this.#granted += 1;
    const permitId = `${ownPrefix(this.#holder.firstRunId)}${this.#granted}-${nowMs}`;
    return { permitId, requestId, expiresAtMs: nowMs + this.#limits.permitSeconds * 1000 };
  }

  /**
   * The permits as the limiter may know them. It never sees the request of an own one: the message that names the permit
   * withdraws the request, and the limiter would take back the permit of a withdrawn request.
   */
  nameAll(permits: Iterable<Permit>): Permit[] {
    const named = ({ permitId }: Permit) => isOwnGrant(permitId, this.#holder.firstRunId) && { requestId: permitId };
    return Array.from(permits, (permit) => ({ ...permit, ...named(permit) }));
  }

  recordEnd(outcome: CallOutcome, nowMs: number): void {
    if (outcome.kind === 'held_back') {
      const pauseMs = Math.min(firstPauseMs * 2 ** this.#heldBackInRow, longestPauseMs);
      this.#heldBackInRow += 1;
      this.#atOnce = 1;
      const untilMs = nowMs + Math.min(Math.max(outcome.waitMs, pauseMs), longestPauseMs);
      this.#closedUntilMs = Math.max(this.#closedUntilMs, untilMs);
    } else if (outcome.kind !== 'unused' && outcome.kind !== 'lost') {
      this.#heldBackInRow = 0;
      this.#atOnce = Math.min(this.#limits.maxConcurrent, this.#atOnce + 1);
    }
  }
}

function ownPrefix(firstRunId: string): string {
  return `${firstRunId}-own-`;
}

/** Whether the holder granted this permit to itself. */
export function isOwnGrant(permitId: string, firstRunId: string): boolean {
  return permitId.startsWith(ownPrefix(firstRunId));
}
