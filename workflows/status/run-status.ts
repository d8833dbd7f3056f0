import { setCurrentDetails } from '@temporalio/workflow';
import type { JobProgress } from '../../contract/activity.ts';
import type { LimiterView } from '../../contract/limiter.ts';
import type { ChunkState, WorkflowStatus } from '../../contract/workflow/status.ts';
import { chunkLines } from './chunk-lines.ts';
import type { RetryableOutcome } from '../run/next-step.ts';

/** The part of the whole run that a step stands for, in percent. */
export interface Share {
  from: number;
  to: number;
}

/** What the chunks of a run are about, once there are some and a provider for them. */
export interface ProcessingView {
  chunks: ({ index: number } & ChunkState)[];
  limiters: LimiterView[];
  startedAtMs: number;
  degraded: boolean;
  estimatedDelaySeconds: number | undefined;
}

type Situation =
  | { kind: 'preparing' }
  | { kind: 'queued'; attempt: number }
  | { kind: 'running'; attempt: number; progress: JobProgress; sinceMs: number }
  | { kind: 'waiting'; attempt: number; reason: RetryableOutcome['kind']; seconds: number; sinceMs: number }
  | { kind: 'processing'; attempt: number }
  | { kind: 'assembling'; attempt: number }
  | { kind: 'done'; attempt: number }
  | { kind: 'failed'; attempt: number; message: string };

const reasonText: Record<RetryableOutcome['kind'], string> = {
  rate_limited: 'Rate limited',
  connection_error: 'Connection error',
};

export function waitSummary(reason: RetryableOutcome['kind'], seconds: number, nowMs: number): string {
  return `${reasonText[reason]}: waiting ${seconds} s, until ${clockTime(nowMs + seconds * 1000)}`;
}

export function clockTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(11, 19)}Z`;
}

/** What a run tells a person: by the query `status`, and in the Web UI's current details without a query. */
export class RunStatus {
  readonly #workflowType: string;
  #subject = '';
  #situation: Situation = { kind: 'preparing' };
  #share: Share = { from: 0, to: 100 };
  #phase: WorkflowStatus['phase'] = 'prepare';
  #percent = 0;
  #elapsedSeconds = 0;
  #maxRetryTime: number;
  /** Stays when all chunks have ended: the status goes on to tell of them. */
  #processingView: (() => ProcessingView) | undefined;

  constructor(workflowType: string, maxRetryTime: number) {
    this.#workflowType = workflowType;
    this.#maxRetryTime = maxRetryTime;
  }

  describe(subject: string, maxRetryTime: number): void {
    this.#subject = subject;
    this.#maxRetryTime = maxRetryTime;
    this.#show(this.#processingView?.());
  }

  startStep(share: Share): void {
    this.#share = share;
    this.#percent = share.from;
  }

  queued(attempt: number, elapsedSeconds: number): void {
    this.#elapsedSeconds = elapsedSeconds;
    this.#become({ kind: 'queued', attempt });
  }

  /** A signal of an attempt that has ended since tells nothing any more. */
  progressed(progress: JobProgress): void {
    const before = this.#situation;
    if (before.kind !== 'queued' && before.kind !== 'running') return;
    const sinceMs = before.kind === 'running' ? before.sinceMs : Date.now();
    this.#phase = progress.phase;
    this.#percent = this.#share.from + ((this.#share.to - this.#share.from) * progress.percent) / 100;
    this.#become({ kind: 'running', attempt: before.attempt, progress, sinceMs });
  }

  waiting(attempt: number, reason: RetryableOutcome['kind'], seconds: number, elapsedSeconds: number): void {
    this.#elapsedSeconds = elapsedSeconds;
    this.#become({ kind: 'waiting', attempt, reason, seconds, sinceMs: Date.now() });
  }

  /** Called again whenever something of it may have changed. */
  processing(view: () => ProcessingView): void {
    this.#processingView = view;
    this.#phase = 'process';
    const shown = view();
    const { chunks } = shown;
    const ended = chunks.filter(({ state }) => state === 'completed' || state === 'failed').length;
    this.#percent = this.#share.from + ((this.#share.to - this.#share.from) * ended) / Math.max(1, chunks.length);
    this.#situation = { kind: 'processing', attempt: this.#attempt() };
    this.#show(shown);
  }

  assembling(): void {
    this.#phase = 'assemble';
    this.#become({ kind: 'assembling', attempt: this.#attempt() });
  }

  done(elapsedSeconds: number): void {
    this.#elapsedSeconds = elapsedSeconds;
    this.#phase = 'done';
    this.#percent = 100;
    this.#become({ kind: 'done', attempt: this.#attempt() });
  }

  failed(message: string): void {
    this.#become({ kind: 'failed', attempt: this.#attempt(), message });
  }

  status(): WorkflowStatus {
    const situation = this.#situation;
    const elapsedSeconds = this.#elapsedSeconds + this.#secondsOfSituation();
    const status: WorkflowStatus = {
      phase: this.#phase,
      state: shownState(situation.kind),
      percent: Math.round(this.#percent * 10) / 10,
      attempt: this.#attempt(),
      elapsedSeconds,
      budgetLeftSeconds: Math.max(0, this.#maxRetryTime - elapsedSeconds),
    };
    if (situation.kind === 'waiting') {
      const until = new Date(situation.sinceMs + situation.seconds * 1000).toISOString();
      status.waiting = { reason: situation.reason, until, seconds: situation.seconds };
    }
    if (situation.kind === 'running' && situation.progress.etaSeconds !== undefined) {
      status.etaSeconds = situation.progress.etaSeconds;
    }
    const view = this.#processingView?.();
    if (view !== undefined) {
      status.chunks = view.chunks;
      status.degraded = view.degraded;
      status.throttled = throttledOf(view.limiters);
      if (view.estimatedDelaySeconds !== undefined) status.estimatedDelaySeconds = view.estimatedDelaySeconds;
      if (situation.kind === 'processing') {
        // The chunks have counts of attempts of their own, and no budget of time.
        status.elapsedSeconds = Math.max(0, Math.floor((Date.now() - view.startedAtMs) / 1000));
        status.budgetLeftSeconds = this.#maxRetryTime;
        if (view.estimatedDelaySeconds !== undefined) status.etaSeconds = view.estimatedDelaySeconds;
      }
    }
    return status;
  }

  #become(situation: Situation): void {
    this.#situation = situation;
    this.#show(this.#processingView?.());
  }

  #attempt(): number {
    return this.#situation.kind === 'preparing' ? 0 : this.#situation.attempt;
  }

  /** As of the last time that the workflow was woken; a query does not move its clock. */
  #secondsOfSituation(): number {
    const situation = this.#situation;
    if (situation.kind !== 'running' && situation.kind !== 'waiting') return 0;
    const seconds = Math.max(0, Math.floor((Date.now() - situation.sinceMs) / 1000));
    return situation.kind === 'waiting' ? Math.min(seconds, situation.seconds) : seconds;
  }

  #show(view: ProcessingView | undefined): void {
    const lines = [`**${this.#workflowType}** · ${this.#headline()}`];
    if (this.#subject !== '') lines.push('', this.#subject);
    if (view !== undefined) lines.push('', ...chunkLines(view));
    setCurrentDetails(lines.join('\n'));
  }

  #headline(): string {
    const situation = this.#situation;
    const percent = `${Math.floor(this.#percent)} %`;
    switch (situation.kind) {
      case 'preparing':
        return 'reading the input';
      case 'queued':
        return `attempt ${situation.attempt} · waiting for a free container · ${percent}`;
      case 'running': {
        const eta = situation.progress.etaSeconds;
        const left = eta === undefined ? '' : ` · about ${Math.ceil(eta)} s left`;
        const host = shownHost(situation.progress.location.containerUrl);
        return `attempt ${situation.attempt} · ${situation.progress.phase} · ${percent}${left} · at ${host}`;
      }
      case 'waiting': {
        const summary = waitSummary(situation.reason, situation.seconds, situation.sinceMs);
        return `attempt ${situation.attempt} · ${summary} · ${percent}`;
      }
      case 'processing':
        return `processing the chunks · ${percent}`;
      case 'assembling':
        return `assembling the transcript · ${percent}`;
      case 'done':
        return `done after ${situation.attempt} ${situation.attempt === 1 ? 'attempt' : 'attempts'}`;
      case 'failed':
        return `failed on attempt ${situation.attempt} · ${situation.message}`;
    }
  }
}

function shownState(kind: Situation['kind']): WorkflowStatus['state'] {
  switch (kind) {
    case 'preparing':
      return 'queued';
    case 'processing':
    case 'assembling':
      return 'running';
    case 'queued':
    case 'running':
    case 'waiting':
    case 'done':
    case 'failed':
      return kind;
  }
}

function throttledOf(limiters: readonly LimiterView[]): NonNullable<WorkflowStatus['throttled']> {
  return limiters.flatMap(({ key, throttledUntil, throttleReason = '' }) =>
    throttledUntil === undefined ? [] : [{ provider: key, until: throttledUntil, reason: throttleReason }],
  );
}

function shownHost(url: string): string {
  return url.replace(/^[a-z]+:\/\//, '').replace(/^[^/@]*@/, '');
}
