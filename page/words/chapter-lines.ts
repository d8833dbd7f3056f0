import { parseClock } from './clock.ts';
import { linesOf } from './lines-of.ts';

export interface ListedChapter {
  start: number;
  title: string;
}

/** Chapters of a text such as `0:00 Welcome`, one per line. `wrong` is the first line that does not begin with a time. */
export function parseChapters(text: string): { chapters: ListedChapter[]; wrong: string | undefined } {
  const lines = linesOf(text);
  const chapters = lines.flatMap((line): ListedChapter[] => {
    const [time = ''] = line.split(/\s/, 1);
    const start = parseClock(time);
    return start === undefined ? [] : [{ start, title: line.slice(time.length).trim() }];
  });
  return { chapters, wrong: lines.find((line) => parseClock(line.split(/\s/, 1)[0] ?? '') === undefined) };
}
