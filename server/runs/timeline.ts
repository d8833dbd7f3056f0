import { JobPhase } from '../../contract/http/job.ts';
import type { TimelineEntry } from '../../contract/server/timeline.ts';
import { retryableFailureTypes, unreachedByCode } from '../../contract/workflow/failure.ts';
import { type ActivityOutcome, type RunEvent, submitting } from './run-events.ts';

type Of<Kind extends TimelineEntry['kind']> = Extract<TimelineEntry, { kind: Kind }>;

/** Builds queueing, attempts, phases and waits of a run from its history alone. */
export function buildTimeline(events: readonly RunEvent[]): TimelineEntry[] {
  const timeline = new Timeline();
  for (const event of events) timeline.add(event);
  return timeline.entries();
}

interface Activity {
  activity: string;
  step: string;
  attempt: number;
}

class Timeline {
  readonly #entries: TimelineEntry[] = [];
  readonly #activities = new Map<string, Activity>();
  readonly #waits = new Map<string, Of<'wait'>>();
  /** Last retryable failure, until the timer of its wait starts. */
  #toWaitFor: Pick<Of<'wait'>, 'step' | 'attempt' | 'reason' | 'unreached'> | undefined;
  #calls = 0;
  #lastCallEnd: string | undefined;

  add(event: RunEvent): void {
    const at = new Date(event.atMs).toISOString();
    switch (event.kind) {
      case 'activity_scheduled':
        return this.#schedule(event, at);
      case 'activity_started': {
        const activity = this.#activities.get(event.id);
        if (activity !== undefined && submitting.has(activity.activity)) this.#begin(activity, at);
        return;
      }
      case 'activity_ended':
        return this.#endActivity(event.id, event.outcome, at);
      case 'timer_started':
        return this.#startWait(event.id, event.seconds, event.atMs);
      case 'timer_ended': {
        const wait = this.#waits.get(event.id);
        if (wait !== undefined) wait.to = at;
        return;
      }
      case 'progress':
        return this.#enterPhase(event.step, event.phase, at);
      case 'closed':
        return this.#close(event.isCancelled, at);
    }
  }

  entries(): TimelineEntry[] {
    return this.#entries.toSorted((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0));
  }

  #schedule({ id, activity, step, attempt }: Extract<RunEvent, { kind: 'activity_scheduled' }>, at: string): void {
    if (activity === 'processChunk') {
      this.#activities.set(id, { activity, step: '', attempt: 0 });
      this.#calls += 1;
      if (this.#openPhase('process') === undefined) this.#entries.push({ kind: 'phase', phase: 'process', from: at });
      return;
    }
    if (activity === 'assembleTranscript') {
      this.#endCalls(at);
      this.#activities.set(id, { activity, step: '', attempt: 0 });
      this.#entries.push({ kind: 'phase', phase: 'assemble', from: at });
      return;
    }
    if (step === undefined || attempt === undefined) return;
    this.#activities.set(id, { activity, step, attempt });
    if (submitting.has(activity)) {
      const turnedAway = this.#entries.findLast(isKind('queued'));
      // The step keeps its place in the queue.
      if (turnedAway?.step === step && turnedAway.attempt === attempt && this.#attemptOf(step) === undefined)
        delete turnedAway.to;
      else this.#entries.push({ kind: 'queued', step, attempt, from: at });
    } else if (activity === 'followJob' && this.#attemptOf(step) === undefined) {
      // The activity joins a job whose worker was lost.
      this.#entries.push({ kind: 'attempt', step, attempt, from: at });
    }
  }

  #begin({ step, attempt }: Activity, at: string): void {
    const queued = this.#entries.findLast(isKind('queued'));
    if (queued?.step === step) queued.to ??= at;
    if (this.#attemptOf(step) === undefined) this.#entries.push({ kind: 'attempt', step, attempt, from: at });
  }

  #endActivity(id: string, outcome: ActivityOutcome, at: string): void {
    const activity = this.#activities.get(id);
    if (activity === undefined) return;
    switch (activity.activity) {
      case 'processChunk':
        this.#calls -= 1;
        this.#lastCallEnd = at;
        return;
      case 'assembleTranscript':
        return this.#end(this.#openPhase('assemble'), at);
      case 'encode':
      case 'chunk':
        if (outcome.kind === 'completed' && outcome.submission === 'turned_away') return this.#withdraw(activity.step);
        // `followJob` follows an accepted job.
        if (outcome.kind === 'completed' && outcome.submission !== 'finished') return;
    }
    if (submitting.has(activity.activity) || activity.activity === 'followJob') this.#endAttempt(activity, outcome, at);
  }

  /** Removes the attempt of a job that the container did not take: its step is still queued. */
  #withdraw(step: string): void {
    const attempt = this.#attemptOf(step);
    if (attempt !== undefined) this.#entries.splice(this.#entries.indexOf(attempt), 1);
  }

  #endAttempt({ step, attempt }: Activity, outcome: ActivityOutcome, at: string): void {
    this.#end(this.#phaseOf(step), at);
    const queued = this.#entries.findLast(isKind('queued'));
    if (queued?.step === step) queued.to ??= at;
    const entry = this.#attemptOf(step);
    if (entry !== undefined) {
      entry.to = at;
      entry.outcome = outcome.kind === 'completed' ? 'succeeded' : outcome.kind;
      if (outcome.kind === 'failed') entry.error = { type: outcome.type, message: outcome.message };
    }
    const cause = outcome.kind === 'failed' ? waitCause(outcome) : undefined;
    this.#toWaitFor = cause === undefined ? undefined : { step, attempt, ...cause };
  }

  #startWait(id: string, seconds: number, atMs: number): void {
    if (this.#toWaitFor === undefined) return;
    const from = new Date(atMs).toISOString();
    const until = new Date(atMs + seconds * 1000).toISOString();
    const wait: Of<'wait'> = { kind: 'wait', ...this.#toWaitFor, from, until, seconds };
    this.#toWaitFor = undefined;
    this.#waits.set(id, wait);
    this.#entries.push(wait);
  }

  #enterPhase(step: string, phase: string, at: string): void {
    const known = JobPhase.safeParse(phase);
    const attempt = this.#attemptOf(step);
    // The signal may arrive after the end of its attempt.
    if (!known.success || attempt === undefined) return;
    const open = this.#phaseOf(step);
    if (open?.phase === known.data) return;
    this.#end(open, at);
    this.#entries.push({ kind: 'phase', phase: known.data, step, attempt: attempt.attempt, from: at });
  }

  #close(isCancelled: boolean, at: string): void {
    this.#endCalls(at);
    for (const entry of this.#entries) {
      if (entry.to !== undefined) continue;
      entry.to = at;
      if (entry.kind === 'attempt') entry.outcome = isCancelled ? 'cancelled' : 'failed';
    }
  }

  #endCalls(at: string): void {
    this.#end(this.#openPhase('process'), this.#calls === 0 ? (this.#lastCallEnd ?? at) : at);
  }

  #end(entry: Of<'phase'> | undefined, at: string): void {
    if (entry !== undefined) entry.to = at;
  }

  #attemptOf(step: string): Of<'attempt'> | undefined {
    return this.#entries.findLast(
      (entry): entry is Of<'attempt'> => entry.kind === 'attempt' && entry.step === step && entry.to === undefined,
    );
  }

  #phaseOf(step: string): Of<'phase'> | undefined {
    return this.#entries.findLast(
      (entry): entry is Of<'phase'> => entry.kind === 'phase' && entry.step === step && entry.to === undefined,
    );
  }

  #openPhase(phase: Of<'phase'>['phase']): Of<'phase'> | undefined {
    return this.#entries.findLast(
      (entry): entry is Of<'phase'> => entry.kind === 'phase' && entry.phase === phase && entry.to === undefined,
    );
  }
}

function isKind<Kind extends TimelineEntry['kind']>(kind: Kind): (entry: TimelineEntry) => entry is Of<Kind> {
  return (entry): entry is Of<Kind> => entry.kind === kind;
}

function waitCause({
  type,
  code = '',
}: Extract<ActivityOutcome, { kind: 'failed' }>): Pick<Of<'wait'>, 'reason' | 'unreached'> | undefined {
  if (type === retryableFailureTypes.rateLimited) return { reason: 'rate_limited' };
  if (type !== retryableFailureTypes.connectionError) return undefined;
  const unreached = unreachedByCode[code];
  return { reason: 'connection_error', ...(unreached !== undefined && { unreached }) };
}
