import type { WorkflowStatus } from '../../contract/workflow/status.ts';
import { formatDuration } from '../../client/text/format-duration.ts';
import { fitLine } from '../text/fit-line.ts';
import { Eta } from './eta.ts';
import { ProgressBar } from './progress-bar.ts';
import type { Progress } from './progress.ts';
import { paceSentence, phaseName } from './status-line.ts';

/** Progress of several runs: a line for each ended run and, on a terminal, one bar for all. */
export class BatchProgress {
  #total: number;
  readonly #startedAtMs = Date.now();
  readonly #statuses = new Map<string, WorkflowStatus>();
  readonly #bar: ProgressBar | undefined;
  readonly #write: (line: string) => void;
  readonly #eta = new Eta();
  #ended = 0;

  /** `stream` is a terminal; `write` takes lines of text. */
  constructor(total: number, output: { stream: NodeJS.WriteStream } | { write: (line: string) => void }) {
    this.#total = total;
    if ('stream' in output) {
      const bar = new ProgressBar(output.stream, (room) =>
        this.#ended === this.#total ? undefined : { percent: this.#percent(), text: this.#text(room) },
      );
      [this.#bar, this.#write] = [bar, (line) => bar.note(line)];
    } else {
      this.#write = output.write;
    }
  }

  /** Adds a run that is found later. */
  add(): void {
    this.#total += 1;
  }

  /** Removes a run that is not ours after all. */
  drop(title: string): void {
    this.#statuses.delete(title);
    this.#total -= 1;
  }

  /** Progress of one run, without its notes: `end` reports its result. */
  runOf(title: string): Progress {
    return {
      show: (status) => {
        this.#statuses.set(title, status);
        this.#bar?.draw();
      },
      note: () => undefined,
      stop: () => undefined,
    };
  }

  /** "[3/12] talk.wav → mp3_128: succeeded" */
  end(title: string, sentence: string): void {
    this.#statuses.delete(title);
    this.#ended += 1;
    this.#write(`[${this.#ended}/${this.#total}] ${title}: ${sentence}`);
  }

  note(sentence: string): void {
    this.#write(sentence);
  }

  stop(): void {
    this.#bar?.stop();
  }

  #percent(): number {
    const running = [...this.#statuses.values()].reduce((sum, { percent }) => sum + percent, 0);
    return (this.#ended * 100 + running) / this.#total;
  }

  /** "3 of 12 done · encoding a.mov → proxy-360 (1,234 frames, 48 fps, 1.9x, 3.2 MiB) · 8 queued · 0:42 · about 1:20 left" */
  #text(room: number): string {
    const phases = [...this.#statuses].map(
      ([title, status]) => [title, phaseName(status), paceSentence(status)] as const,
    );
    const count = (name: string) => phases.filter(([, phase]) => phase === name).length;
    const active = phases.filter(([, phase]) => !['queued', 'waiting', 'preparing'].includes(phase));
    const left = this.#eta.estimate(Date.now(), this.#percent());
    const parts = [
      { text: `${this.#ended} of ${this.#total} done`, rank: 0 },
      ...active.map(([title, phase, pace]) => ({
        text: `${phase} ${title}${pace === undefined ? '' : ` (${pace})`}`,
        rank: 2,
      })),
      ...(['queued', 'waiting'] as const).flatMap((name) =>
        count(name) === 0 ? [] : [{ text: `${count(name)} ${name}`, rank: 1 }],
      ),
      { text: formatDuration((Date.now() - this.#startedAtMs) / 1000), rank: 0 },
      ...(left === undefined ? [] : [{ text: `about ${formatDuration(left)} left`, rank: 0 }]),
    ];
    return fitLine(parts, room);
  }
}
