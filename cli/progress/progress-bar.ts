import { SingleBar } from 'cli-progress';

/** Characters: a small terminal keeps most of its line for the words. */
function barWidth(columns = 80): number {
  return Math.max(6, Math.min(30, columns - 60));
}

/** A line of a terminal with a bar that redraws itself by what it is given, so that its clocks go on. */
export class ProgressBar {
  readonly #stream: NodeJS.WriteStream;
  readonly #read: () => { percent: number; text: string } | undefined;
  #bar: SingleBar | undefined;
  #clock: NodeJS.Timeout | undefined;

  /** `read`: what to show now; undefined while there is nothing yet. */
  constructor(stream: NodeJS.WriteStream, read: () => { percent: number; text: string } | undefined) {
    [this.#stream, this.#read] = [stream, read];
  }

  draw(): void {
    const shown = this.#read();
    if (shown === undefined) return;
    if (this.#bar === undefined) {
      this.#bar = new SingleBar({
        stream: this.#stream,
        format: '{bar} {percentage}% {text}',
        barCompleteChar: '█',
        barIncompleteChar: '░',
        barsize: barWidth(this.#stream.columns),
        hideCursor: true,
        // A line longer than the terminal is cut and not wrapped, which would leave half lines behind.
        linewrap: false,
        clearOnComplete: true,
        emptyOnZero: true,
      });
      this.#bar.start(100, 0, { text: '' });
      // The clock and the countdown go on between two answers of the workflow.
      this.#clock = setInterval(() => this.draw(), 250);
      this.#clock.unref();
    }
    this.#bar.update(Math.floor(shown.percent), { text: shown.text });
  }

  /** A sentence that stays above the bar. */
  note(sentence: string): void {
    this.stop();
    this.#stream.write(`${sentence}\n`);
    this.draw();
  }

  /** Removes the bar and shows the cursor again. */
  stop(): void {
    clearInterval(this.#clock);
    this.#bar?.stop();
    this.#bar = undefined;
  }
}
