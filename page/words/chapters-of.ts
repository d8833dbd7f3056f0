import type { RunDetails } from '../../contract/server/run.ts';
import type { EncodedOutput } from '../../contract/http/output.ts';
import { wantedOutputs } from './wanted-outputs.ts';

export interface ChapterMark {
  /** seconds */
  start: number;
  /** Missing of those that were found in pauses. */
  title?: string;
}

/** Of an output: as the request has them, or as they were found. */
export function chaptersOf(
  run: Pick<RunDetails, 'input'>,
  index: number,
  facts: EncodedOutput | undefined,
): ChapterMark[] {
  if (facts?.chapterStarts !== undefined) return facts.chapterStarts.map((start) => ({ start }));
  return readChapters(wantedOutputs(run)[index]?.['chapters']);
}

/** Of a list of them, or of a file of podcast chapters; anything else has none. */
export function readChapters(value: unknown): ChapterMark[] {
  const list = Array.isArray(value) ? value : (value as { chapters?: unknown } | undefined)?.chapters;
  if (!Array.isArray(list)) return [];
  return (list as Record<string, unknown>[]).flatMap(({ start, startTime, title }) => {
    const seconds = start ?? startTime;
    return typeof seconds === 'number' ? [{ start: seconds, ...(typeof title === 'string' && { title }) }] : [];
  });
}
