import type { WorkflowStatus } from '../../contract/workflow/status.ts';
import { formatDuration } from '../../client/text/format-duration.ts';
import { fitLine } from '../text/fit-line.ts';
import { Eta, estimateSecondsLeft } from './eta.ts';
import { ProgressBar } from './progress-bar.ts';
import type { Progress } from './progress.ts';
import {
  chunksSentence,
  paceSentence,
  phaseName,
  segmentsSentence,
  throttleSentence,
  waitSentence,
} from './status-line.ts';

/** A progress bar on a terminal, with a countdown during waits. */
export class BarProgress implements Progress {
  readonly #startedAtMs = Date.now();
  readonly #eta = new Eta();
  readonly #bar: ProgressBar;
  #etaSeconds: number | undefined;
  #status: WorkflowStatus | undefined;

  constructor(stream: NodeJS.WriteStream) {
    this.#bar = new ProgressBar(stream, (room) =>
      this.#status === undefined ? undefined : { percent: this.#status.percent, text: this.#text(this.#status, room) },
    );
  }

  show(status: WorkflowStatus): void {
    this.#status = status;
    this.#etaSeconds = estimateSecondsLeft(status, this.#eta);
    this.#bar.draw();
  }

  note(sentence: string): void {
    this.#bar.note(sentence);
  }

  stop(): void {
    // A later note would draw the bar again.
    this.#status = undefined;
    this.#bar.stop();
  }

  #text(status: WorkflowStatus, room: number): string {
    const elapsed = formatDuration((Date.now() - this.#startedAtMs) / 1000);
    const wait = waitSentence(status);
    if (wait !== undefined && status.waiting !== undefined) {
      const left = formatDuration((Date.parse(status.waiting.until) - Date.now()) / 1000);
      return `waiting ${left}: ${wait}`;
    }
    const phase = phaseName(status);
    if (phase === 'queued') return `queued: waiting for a free container · ${elapsed}`;
    const left = this.#etaSeconds === undefined ? undefined : `about ${formatDuration(this.#etaSeconds)} left`;
    // The pace is that of one segment.
    const segments = segmentsSentence(status);
    const parts = [
      { text: chunksSentence(status) ?? segments ?? phase, rank: 0 },
      { text: segments === undefined ? paceSentence(status) : undefined, rank: 3 },
      { text: elapsed, rank: 1 },
      { text: left, rank: 0 },
      { text: throttleSentence(status), rank: 2 },
    ];
    return fitLine(
      parts.flatMap(({ text, rank }) => (text === undefined ? [] : [{ text, rank }])),
      room,
    );
  }
}
