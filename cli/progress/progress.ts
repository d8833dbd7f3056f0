import type { WorkflowStatus } from '../../contract/workflow/status.ts';
import { BarProgress } from './bar-progress.ts';
import { PlainProgress } from './plain-progress.ts';

/** How a run in progress is shown. */
export interface Progress {
  show(status: WorkflowStatus): void;
  /** A sentence that stays, such as a port that was taken. */
  note(sentence: string): void;
  /** Removes the bar and shows the cursor again. */
  stop(): void;
}

/** A bar on a terminal, else lines. The stream is standard error, since standard output belongs to the result. */
export function createProgress(stream: NodeJS.WriteStream, isDumbTerminal: boolean): Progress {
  if (stream.isTTY && !isDumbTerminal) return new BarProgress(stream);
  return new PlainProgress((line) => stream.write(`${line}\n`));
}
