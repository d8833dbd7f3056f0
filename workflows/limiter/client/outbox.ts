import type { PermitReport } from '../../../contract/limiter.ts';

export interface OutboxContent {
  requests: string[];
  withdrawals: string[];
  reports: PermitReport[];
}

/** Messages from a run to one limiter. One message is sent at a time, so that they arrive in order; new content waits. */
export class Outbox {
  readonly #send: (content: OutboxContent) => Promise<void>;
  #content = emptyContent();
  #isSending = false;

  constructor(send: (content: OutboxContent) => Promise<void>) {
    this.#send = send;
  }

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

  /** Puts reports of an undelivered message before newer ones. */
  restoreReports(reports: readonly PermitReport[]): void {
    this.#content.reports.unshift(...reports);
  }

  take(): OutboxContent {
    const content = this.#content;
    this.#content = emptyContent();
    return content;
  }

  /** Must be called after every addition. Resolves when the outbox is empty, or at once if another flush is running. */
  async flush(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      // Everything added in this turn belongs in one message.
      await Promise.resolve();
      while (!isEmpty(this.#content)) await this.#send(this.take());
    } finally {
      // Reset in the turn that found the outbox empty: a later addition must start a new flush.
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
