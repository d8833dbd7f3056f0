import type { WorkflowStatus } from '../../contract/workflow.ts';
import { Eta, etaOf } from './eta.ts';
import type { Progress } from './progress.ts';
import { phaseName, shownDuration, waitSentence } from './status-line.ts';

/** Lines for a log file or a pipe: one for each phase, each tenth and each wait, without control characters. */
export class PlainProgress implements Progress {
  readonly #write: (line: string) => void;
  readonly #eta = new Eta();
  #lastPhase = '';
  #lastTenth = 0;
  #lastWait = '';

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  show(status: WorkflowStatus): void {
    const etaSeconds = etaOf(status, this.#eta);
    const wait = waitSentence(status);
    if (wait !== undefined) {
      if (wait !== this.#lastWait) this.#write(`waiting ${status.waiting?.seconds} s: ${wait}`);
      [this.#lastWait, this.#lastPhase] = [wait, 'waiting'];
      return;
    }
    const phase = phaseName(status);
    const tenth = Math.floor(status.percent / 10);
    if (phase === this.#lastPhase && tenth <= this.#lastTenth) return;
    [this.#lastPhase, this.#lastTenth] = [phase, Math.max(tenth, this.#lastTenth)];
    const left = etaSeconds === undefined ? '' : `, about ${shownDuration(etaSeconds)} left`;
    const queued = phase === 'queued' ? ': waiting for a free container' : '';
    this.#write(`${phase}${queued}, ${Math.floor(status.percent)} %${left}`);
  }

  note(sentence: string): void {
    this.#write(sentence);
  }

  stop(): void {
    // Nothing stands half written.
  }
}
