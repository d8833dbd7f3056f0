import { SingleBar } from 'cli-progress';
import { wrapText } from '../text/wrap-text.ts';

/** Characters; a narrow terminal keeps most of its line for the text. */
function barWidth(columns: number): number {
  return Math.max(6, Math.min(30, columns - 60));
}

/** A bar with text on a terminal, redrawn regularly so that clocks advance. */
export class ProgressBar {
  readonly #stream: NodeJS.WriteStream;
  readonly #read: (room: number) => { percent: number; text: string } | undefined;
  #barSize = 0;
  #bar: SingleBar | undefined;
  #clock: NodeJS.Timeout | undefined;

  /** `read` returns what to show now, with a text of at most `room` characters; undefined shows nothing. */
  constructor(stream: NodeJS.WriteStream, read: (room: number) => { percent: number; text: string } | undefined) {
    [this.#stream, this.#read] = [stream, read];
  }

  draw(): void {
    const columns = this.#stream.columns || 80;
    if (this.#bar === undefined) this.#barSize = barWidth(columns);
    // A terminal moves on when its last column is written.
    const shown = this.#read(columns - this.#barSize - ' 100% '.length - 1);
    if (shown === undefined) return;
    if (this.#bar === undefined) {
      this.#bar = new SingleBar({
        stream: this.#stream,
        format: '{bar} {percentage}% {text}',
        barCompleteChar: '█',
        barIncompleteChar: '░',
        barsize: this.#barSize,
        hideCursor: true,
        // Wrapped lines would leave remains on the screen.
        linewrap: false,
        clearOnComplete: true,
        emptyOnZero: true,
      });
      // A bar that starts again after a note must not flash at 0 %.
      this.#bar.start(100, Math.floor(shown.percent), { text: shown.text });
      // Clock and countdown advance between two statuses of the workflow.
      this.#clock = setInterval(() => this.draw(), 250);
      this.#clock.unref();
    }
    this.#bar.update(Math.floor(shown.percent), { text: shown.text });
  }

  /** Prints a sentence above the bar. */
  note(sentence: string): void {
    this.stop();
    this.#stream.write(`${wrapText(sentence, this.#stream.columns || undefined)}\n`);
    this.draw();
  }

  /** Removes the bar and shows the cursor again. */
  stop(): void {
    clearInterval(this.#clock);
    this.#bar?.stop();
    this.#bar = undefined;
  }
}
