import { SingleBar } from 'cli-progress';
import { formatDuration } from '../../client/text/format-duration.ts';
import type { WorkflowStatus } from '../../contract/workflow/status.ts';
import { Eta, estimateSecondsLeft } from './eta.ts';
import type { Progress } from './progress.ts';
import { chunksSentence, phaseName, throttleSentence, waitSentence } from './status-line.ts';

/** A bar that redraws itself on a terminal; a wait counts down in it. */
export class BarProgress implements Progress {
  readonly #stream: NodeJS.WriteStream;
  readonly #startedAtMs = Date.now();
  readonly #eta = new Eta();
  #etaSeconds: number | undefined;
  #bar: SingleBar | undefined;
  #status: WorkflowStatus | undefined;
  #clock: NodeJS.Timeout | undefined;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  show(status: WorkflowStatus): void {
    this.#status = status;
    this.#etaSeconds = estimateSecondsLeft(status, this.#eta);
    if (this.#bar === undefined) {
      this.#bar = new SingleBar({
        stream: this.#stream,
        format: '{bar} {percentage}% {text}',
        barCompleteChar: '█',
        barIncompleteChar: '░',
        barsize: 30,
        hideCursor: true,
        // A line longer than the terminal is cut and not wrapped, which would leave half lines behind.
        linewrap: false,
        clearOnComplete: true,
        emptyOnZero: true,
      });
      this.#bar.start(100, 0, { text: '' });
      // The clock and the countdown go on between two answers of the workflow.
      this.#clock = setInterval(() => this.#draw(), 250);
      this.#clock.unref();
    }
    this.#draw();
  }

  note(sentence: string): void {
    this.stop();
    this.#stream.write(`${sentence}\n`);
    if (this.#status !== undefined) this.show(this.#status);
  }

  stop(): void {
    clearInterval(this.#clock);
    this.#bar?.stop();
    this.#bar = undefined;
  }

  #draw(): void {
    const status = this.#status;
    if (status !== undefined) this.#bar?.update(Math.floor(status.percent), { text: this.#text(status) });
  }

  #text(status: WorkflowStatus): string {
    const elapsed = formatDuration((Date.now() - this.#startedAtMs) / 1000);
    const wait = waitSentence(status);
    if (wait !== undefined && status.waiting !== undefined) {
      const left = formatDuration((Date.parse(status.waiting.until) - Date.now()) / 1000);
      return `waiting ${left}: ${wait}`;
    }
    const phase = phaseName(status);
    if (phase === 'queued') return `queued: waiting for a free container · ${elapsed}`;
    const left = this.#etaSeconds === undefined ? '' : ` · about ${formatDuration(this.#etaSeconds)} left`;
    const throttle = throttleSentence(status);
    return `${chunksSentence(status) ?? phase} · ${elapsed}${left}${throttle === undefined ? '' : ` · ${throttle}`}`;
  }
}
