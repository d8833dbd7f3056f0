import type { PermitReport } from '../../../contract/limiter.ts';

export interface OutboxContent {
  requests: string[];
  withdrawals: string[];
  reports: PermitReport[];
}

/** What a run has to tell one limiter. It goes out one message at a time, so that messages arrive in order; what comes up meanwhile is part of the next. */
export class Outbox {
  readonly #send: (content: OutboxContent) => Promise<void>;
  #content = emptyContent();
  #isSending = false;

  constructor(send: (content: OutboxContent) => Promise<void>) {
    this.#send = send;
  }

  /** No message is under way, nor about to be. */
  get isIdle(): boolean {
    return !this.#isSending;
  }

  addRequest(requestId: string): void {
    this.#content.requests.push(requestId);
  }

  replaceRequests(requestIds: Iterable<string>): void {
    this.#content.requests = [...requestIds];
  }

  addWithdrawal(requestId: string): void {
    this.#content.withdrawals.push(requestId);
  }

  addReport(report: PermitReport): void {
    this.#content.reports.push(report);
  }

  /** Reports of a message that did not arrive, to go before those that came up since. */
  restoreReports(reports: readonly PermitReport[]): void {
    this.#content.reports.unshift(...reports);
  }

  take(): OutboxContent {
    const content = this.#content;
    this.#content = emptyContent();
    return content;
  }

  /** To be called after whatever is added. Settles when the outbox is empty, or at once where a former call is still sending. */
  async flush(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      // Everything that is added in this turn belongs in one message.
      await Promise.resolve();
      while (!isEmpty(this.#content)) await this.#send(this.take());
    } finally {
      // In the same turn that found the outbox empty: what is added a turn later must start a new flush.
      this.#isSending = false;
    }
  }
}

function emptyContent(): OutboxContent {
  return { requests: [], withdrawals: [], reports: [] };
}

function isEmpty({ requests, withdrawals, reports }: OutboxContent): boolean {
  return requests.length === 0 && withdrawals.length === 0 && reports.length === 0;
}
