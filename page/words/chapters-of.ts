import type { RunDetails } from '../../contract/server/run.ts';
import type { OutputFacts } from './result-files.ts';
import { wantedOutputs } from './wanted-outputs.ts';

export interface ChapterMark {
  /** Seconds. */
  start: number;
  /** Missing for chapters that are found by pauses. */
  title?: string;
}

/** Chapters of an output: those found in its audio, or those of the request. */
export function chaptersOf(
  run: Pick<RunDetails, 'input'>,
  index: number,
  facts: Pick<OutputFacts, 'chapterStarts'> | undefined,
): ChapterMark[] {
  if (facts?.chapterStarts !== undefined) return facts.chapterStarts.map((start) => ({ start }));
  return readChapters(wantedOutputs(run)[index]?.['chapters']);
}

/** Reads a list of chapters or a file of podcast chapters; other values give none. */
export function readChapters(value: unknown): ChapterMark[] {
  const list = Array.isArray(value) ? value : (value as { chapters?: unknown } | undefined)?.chapters;
  if (!Array.isArray(list)) return [];
  return (list as Record<string, unknown>[]).flatMap(({ start, startTime, title }) => {
    const seconds = start ?? startTime;
    return typeof seconds === 'number' ? [{ start: seconds, ...(typeof title === 'string' && { title }) }] : [];
  });
}
