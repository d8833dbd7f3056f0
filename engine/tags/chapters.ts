import { z } from 'zod';
import { maxChapters } from '../../contract/http/tags.ts';
import { MediaError } from '../media-error.ts';
import type { TaggedChapter } from '../formats/tags/file-tags.ts';
import { cleanLine } from '../source/clean-text.ts';
import type { PlacedChapter } from '../source/source-tags.ts';

/** Some entries only change a picture. Reading millions of entries would block the container for seconds. */
const maxEntries = 10 * maxChapters;

const AnyEntries = z.object({ chapters: z.array(z.unknown()) });

/** Chapters file of a podcast (https://github.com/Podcastindex-org/podcast-namespace, "JSON Chapters Format 1.2"). */
const PodcastChapters = z.object({
  chapters: z.array(
    z.object({
      startTime: z.number('must be a number of seconds').min(0).max(10_000_000),
      title: z.string().optional(),
      url: z.string().optional(),
      /** False: the entry only changes a picture and is not in the table of contents. */
      toc: z.boolean().optional(),
    }),
  ),
});

export function badChapters(reason: string): MediaError {
  return new MediaError('invalid_request', `The chapters cannot be used: ${reason}.`, {
    details: { field: 'chapters' },
  });
}

function badChapterFile(what: string): MediaError {
  return badChapters(
    `the file ${what}. It must look like {"version": "1.2.0", "chapters": [{"startTime": 0, "title": "Welcome"}]}`,
  );
}

/** Parses a chapters file. Throws `invalid_request` with the reason. */
export function parsePodcastChapters(text: string): PlacedChapter[] {
  let json: unknown;
  try {
    // Editors on Windows start a file with a byte order mark.
    json = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw badChapterFile('is no JSON');
  }
  const entries = AnyEntries.safeParse(json).data?.chapters.length ?? 0;
  if (entries > maxEntries) throw badChapters(`the file has ${entries} entries, and the limit is ${maxEntries}`);
  const parsed = PodcastChapters.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const words = [issue?.path.map(String).join('.'), issue?.message].filter(Boolean).join(': ');
    throw badChapterFile(`is no list of podcast chapters (${words})`);
  }
  const listed = parsed.data.chapters.filter(({ toc }) => toc !== false);
  if (listed.length > maxChapters) throw badChapters(`there are ${listed.length}, and the limit is ${maxChapters}`);
  return listed.map(({ startTime, title = '', url }, index) => ({
    startSeconds: startTime,
    title: cleanLine(title) || `Chapter ${index + 1}`,
    url: url !== undefined && /^https?:\/\/[\u0021-\u007e]{1,2048}$/i.test(url) ? url : undefined,
  }));
}

/** Part of the source that an output contains, in seconds. */
export interface ChapterWindow {
  from: number;
  to: number;
}

/**
 * Chapters of an output on its own clock, in order. A chapter that starts before the output moves to its start, unless
 * the next chapter does too. Chapters that start at or after its end are dropped. Of several that start together, the
 * last is kept.
 */
export function settleChapters(chapters: readonly PlacedChapter[], { from, to }: ChapterWindow): TaggedChapter[] {
  const toMs = Math.round((to - from) * 1000);
  const byStart = new Map<number, PlacedChapter>();
  for (const chapter of [...chapters].sort((a, b) => a.startSeconds - b.startSeconds)) {
    if (!Number.isFinite(chapter.startSeconds)) continue;
    const startMs = Math.max(0, Math.round((chapter.startSeconds - from) * 1000));
    if (startMs < toMs) byStart.set(startMs, chapter);
  }
  const starts = [...byStart];
  return starts.map(([startMs, { title, url }], index) => ({
    startMs,
    endMs: starts[index + 1]?.[0] ?? toMs,
    title,
    url,
  }));
}

/** Rejects a requested chapter outside the source. */
export function checkChaptersWithin(chapters: readonly PlacedChapter[], sourceSeconds: number): void {
  const beyond = chapters.find(({ startSeconds }) => startSeconds >= sourceSeconds);
  if (beyond === undefined) return;
  throw badChapters(
    `"${beyond.title.slice(0, 100)}" begins at ${beyond.startSeconds} s, and the source is ${sourceSeconds.toFixed(3)} s long`,
  );
}
