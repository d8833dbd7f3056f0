import { mkdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { findWavData } from '../../../formats/wav/find-data.ts';
import { CannotJoin } from './cannot-join.ts';
import type { JoinResult, SegmentFile } from './join-segments.ts';

/**
 * Segments of samples are read consecutively instead of being joined, which would copy gigabytes. They move into a folder
 * at the output's path. A frame is one sample of all channels.
 */
export async function collectSampleParts(segments: readonly SegmentFile[], outputPath: string): Promise<JoinResult> {
  await mkdir(outputPath, { mode: 0o700 });
  const parts: string[] = [];
  let frames = 0;
  for (const [index, { path }] of segments.entries()) {
    const data = await findWavData(path);
    if (data === undefined) throw new CannotJoin('a segment without samples');
    frames += Math.floor(((await stat(path)).size - data.start) / data.frameBytes);
    const part = join(outputPath, String(index));
    await rename(path, part);
    parts.push(part);
  }
  return {
    frames,
    parts,
    seams: { exact: segments.length - 1, matched: 0 },
    seamFrames: segments.slice(1).map(({ cut }) => cut),
  };
}
