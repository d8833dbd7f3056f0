import { BarProgress } from './bar-progress.ts';
import { PlainProgress } from './plain-progress.ts';
import type { Progress } from './progress.ts';

/** A bar on a terminal, otherwise lines. The stream is standard error, because standard output is for the result. */
export function createProgress(stream: NodeJS.WriteStream, isDumbTerminal: boolean): Progress {
  if (stream.isTTY && !isDumbTerminal) return new BarProgress(stream);
  return new PlainProgress((line) => stream.write(`${line}\n`));
}
