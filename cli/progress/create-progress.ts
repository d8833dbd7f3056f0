import { BarProgress } from './bar-progress.ts';
import { BatchProgress } from './batch-progress.ts';
import { PlainProgress } from './plain-progress.ts';
import type { Progress } from './progress.ts';

/** A bar on a terminal, otherwise lines. The stream is standard error, because standard output is for the result. */
export function createProgress(stream: NodeJS.WriteStream, isDumbTerminal: boolean): Progress {
  if (showsBar(stream, isDumbTerminal)) return new BarProgress(stream);
  return new PlainProgress((line) => stream.write(`${line}\n`));
}

/** One bar for all runs on a terminal, otherwise a line for each ended run. */
export function createBatchProgress(
  total: number,
  stream: NodeJS.WriteStream,
  { isDumbTerminal }: { isDumbTerminal: boolean },
): BatchProgress {
  const write = (line: string) => stream.write(`${line}\n`);
  return new BatchProgress(total, showsBar(stream, isDumbTerminal) ? { stream } : { write });
}

function showsBar(stream: NodeJS.WriteStream, isDumbTerminal: boolean): boolean {
  return stream.isTTY && !isDumbTerminal;
}
