import { type Ending } from '../ending.ts';
import { WindowedFile } from '../windowed-file.ts';
import { maxLacingValue, maxLacingValues, pageHeaderSize } from './page.ts';
import { pageFlags } from './page-flags.ts';

/**
 * Two pages of the largest size contain at least one whole page. The streams of one file end closer together than that.
 */
const tailBytes = 2 * (pageHeaderSize + maxLacingValues * (1 + maxLacingValue));

const capture = Buffer.from('OggS\0');

/** Walks the pages in the last bytes of a file. A flag marks the last page of every stream (RFC 3533, 6). */
export function findOggEnding(tail: Buffer): Ending {
  const hasEnded = new Map<number, boolean>();
  for (let at = tail.indexOf(capture); at >= 0 && at < tail.length;) {
    const lacing = tail[at + pageHeaderSize - 1];
    if (lacing === undefined) return { kind: 'cut' };
    if (!tail.subarray(at, at + capture.length).equals(capture)) {
      const next = tail.indexOf(capture, at);
      // Junk after a whole file, such as a tag.
      if (next < 0) break;
      at = next;
      continue;
    }
    const body = at + pageHeaderSize + lacing;
    const end = tail.subarray(at + pageHeaderSize, body).reduce((sum, value) => sum + value, body);
    if (body > tail.length || end > tail.length) return { kind: 'cut' };
    const isEnd = ((tail[at + 5] ?? 0) & pageFlags.endOfStream) !== 0;
    hasEnded.set(tail.readUInt32LE(at + 14), isEnd);
    at = end;
  }
  if (hasEnded.size === 0) return { kind: 'unknown' };
  return { kind: [...hasEnded.values()].every(Boolean) ? 'whole' : 'cut' };
}

export async function readOggEnding(path: string): Promise<Ending> {
  return await WindowedFile.use(
    path,
    async (file) => findOggEnding(await file.read(Math.max(0, file.size - tailBytes), tailBytes)),
    tailBytes,
  );
}
