import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { ReadPackage, ReadPart, ReadSegment } from './read-package.ts';

/** The shortest length that a playlist can state. */
const leastSeconds = 1e-6;

/** Duration of the fragments of a segment. */
function heldSeconds({ fragments }: ReadSegment, { tracks }: Pick<ReadPart, 'tracks'>): number {
  const [track] = tracks;
  const ticks = fragments.reduce((sum, { durationTicks }) => sum + durationTicks, 0);
  const seconds = track === undefined ? 0 : ticks / track.timescale;
  return Math.max(leastSeconds, Number(seconds.toFixed(6)));
}

/**
 * Gives each segment of the playlists a length. The packager rounds to milliseconds and writes `#EXTINF:0.000` for a
 * few samples of sound after a segment, which players reject.
 */
export async function fillLengths(read: ReadPackage): Promise<ReadPackage> {
  const parts: ReadPart[] = [];
  for (const part of read.parts) {
    if (part.segments.every(({ seconds }) => seconds > 0)) {
      parts.push(part);
      continue;
    }
    const segments = part.segments.map((segment) => ({
      ...segment,
      seconds: segment.seconds > 0 ? segment.seconds : heldSeconds(segment, part),
    }));
    const path = fileURLToPath(part.playlist.url);
    await writeFile(path, withLengths(await readFile(path, 'utf8'), segments));
    const listed = part.playlist.segments.map((segment, index) => ({
      ...segment,
      seconds: segments[index]?.seconds ?? segment.seconds,
    }));
    parts.push({ ...part, segments, playlist: { ...part.playlist, segments: listed } });
  }
  return { ...read, parts };
}

/** A media playlist that gives each of its segments a length (pure). */
function withLengths(text: string, segments: readonly Pick<ReadSegment, 'seconds'>[]): string {
  let index = -1;
  return text.replaceAll(/^#EXTINF:([\d.]+)/gm, (line, said: string) => {
    index += 1;
    return Number(said) > 0 ? line : `#EXTINF:${segments[index]?.seconds.toFixed(6)}`;
  });
}
