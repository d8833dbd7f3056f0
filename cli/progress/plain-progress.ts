import type { WorkflowStatus } from '../../contract/workflow/status.ts';
import { formatDuration } from '../../client/text/format-duration.ts';
import { Eta, estimateSecondsLeft } from './eta.ts';
import type { Progress } from './progress.ts';
import {
  chunksSentence,
  paceSentence,
  phaseName,
  segmentsSentence,
  throttleSentence,
  waitSentence,
} from './status-line.ts';

/** Progress for a log file or a pipe: a line for each phase, each 10 % and each wait, without control characters. */
export class PlainProgress implements Progress {
  readonly #write: (line: string) => void;
  readonly #eta = new Eta();
  #lastPhase = '';
  #lastTenth = 0;
  #lastFailed = 0;
  #lastWait = '';
  #lastThrottle = '';

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  show(status: WorkflowStatus): void {
    const etaSeconds = estimateSecondsLeft(status, this.#eta);
    const wait = waitSentence(status);
    if (wait !== undefined) {
      if (wait !== this.#lastWait) this.#write(`waiting ${status.waiting?.seconds} s: ${wait}`);
      [this.#lastWait, this.#lastPhase] = [wait, 'waiting'];
      return;
    }
    const throttle = throttleSentence(status) ?? '';
    if (throttle !== this.#lastThrottle && throttle !== '') this.#write(throttle);
    this.#lastThrottle = throttle;
    const phase = phaseName(status);
    const tenth = Math.floor(status.percent / 10);
    const failed = status.chunks?.filter(({ state }) => state === 'failed').length ?? 0;
    if (phase === this.#lastPhase && tenth <= this.#lastTenth && failed === this.#lastFailed) return;
    [this.#lastPhase, this.#lastTenth, this.#lastFailed] = [phase, Math.max(tenth, this.#lastTenth), failed];
    const left = etaSeconds === undefined ? '' : `, about ${formatDuration(etaSeconds)} left`;
    const queued = phase === 'queued' ? ': waiting for a free container' : '';
    const besides = chunksSentence(status) ?? segmentsSentence(status) ?? paceSentence(status);
    const sentence = besides === undefined ? '' : ` (${besides})`;
    this.#write(`${phase}${queued}, ${Math.floor(status.percent)} %${sentence}${left}`);
  }

  note(sentence: string): void {
    this.#write(sentence);
  }

  stop(): void {
    // There is no bar to remove.
  }
}
