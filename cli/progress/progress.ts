import type { WorkflowStatus } from '../../contract/workflow/status.ts';
import { BarProgress } from './bar-progress.ts';
import { PlainProgress } from './plain-progress.ts';

/** How a run in progress is shown. */
export interface Progress {
  show(status: WorkflowStatus): void;
  /** A sentence that stays, such as a port that was taken. */
  note(sentence: string): void;
  /** Leaves the terminal as it should be. */
  stop(): void;
}

/** On standard error: standard output belongs to the result. */
export function progressOn(stream: NodeJS.WriteStream): Progress {
  if (stream.isTTY && process.env['TERM'] !== 'dumb') return new BarProgress(stream);
  return new PlainProgress((line) => stream.write(`${line}\n`));
}
