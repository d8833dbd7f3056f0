import { type Attributes, context, createContextKey, type Span, trace } from '@opentelemetry/api';
import { failSpan, startSpan, withSpan } from './span.ts';

const phasesKey = createContextKey('the phases of the job');

/** Span of a job, with a child span for each of its successive phases. */
export class JobSpan {
  readonly #job: Span;
  #phase: { name: string; span: Span };

  constructor(kind: string, phase: string, attributes: Attributes) {
    this.#job = startSpan(`job ${kind}`, attributes);
    this.#phase = this.#startPhase(phase);
  }

  enter(phase: string): void {
    if (phase === this.#phase.name) return;
    this.#phase.span.end();
    this.#phase = this.#startPhase(phase);
  }

  /** Runs work whose spans become descendants of this one. */
  run<Result>(work: () => Result): Result {
    return context.with(trace.setSpan(context.active(), this.#job).setValue(phasesKey, this), work);
  }

  end(error?: Error): void {
    if (error !== undefined) for (const span of [this.#phase.span, this.#job]) failSpan(span, error);
    this.#phase.span.end();
    this.#job.end();
  }

  get phase(): Span {
    return this.#phase.span;
  }

  #startPhase(name: string): { name: string; span: Span } {
    return { name, span: startSpan(`phase ${name}`, {}, trace.setSpan(context.active(), this.#job)) };
  }
}

/** Runs a step of a job in a span below the job's current phase. */
export function withStepSpan<Result>(
  name: string,
  attributes: Attributes,
  work: () => Promise<Result>,
): Promise<Result> {
  const active = context.active();
  const job = active.getValue(phasesKey);
  return withSpan(name, attributes, work, job instanceof JobSpan ? trace.setSpan(active, job.phase) : active);
}
