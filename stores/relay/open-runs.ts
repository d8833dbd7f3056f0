import type { RunOfJob } from '../../contract/activity.ts';
import { messageOf } from '../../contract/unknown-values.ts';

/** An answer counts for this long after it came: the segments of a package need one question, not thousands. */
const validMs = 5_000;

interface RunQuestions {
  isOpen(run: RunOfJob, graceMs: number): Promise<boolean>;
  warn(facts: object, sentence: string): void;
}

/** Remembers for some seconds which runs are open. */
export class OpenRuns {
  readonly #questions: RunQuestions;
  /** Undefined: Temporal does not answer. */
  readonly #answers = new Map<string, Promise<boolean | undefined>>();

  constructor(questions: RunQuestions) {
    this.#questions = questions;
  }

  /** `graceMs`: time after the run's end for which it counts as open. Undefined if Temporal does not answer. */
  async isOpen(run: RunOfJob, graceMs: number): Promise<boolean | undefined> {
    const key = `${graceMs}/${run.runId}/${run.workflowId}`;
    const known = this.#answers.get(key);
    if (known !== undefined) return await known;
    const answer = this.#ask(run, graceMs);
    this.#answers.set(key, answer);
    // The time of the question does not count: without Temporal, each request would wait for a timeout of its own.
    void answer.then(() => setTimeout(() => this.#answers.delete(key), validMs).unref());
    return await answer;
  }

  async #ask(run: RunOfJob, graceMs: number): Promise<boolean | undefined> {
    try {
      return await this.#questions.isOpen(run, graceMs);
    } catch (error) {
      const reason = messageOf(error);
      this.#questions.warn({ ...run, error: reason }, 'The relay could not ask Temporal whether a run is open');
      return undefined;
    }
  }
}
