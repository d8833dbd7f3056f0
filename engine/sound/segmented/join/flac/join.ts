import { FlacFile, totalFlacHead } from './file.ts';
import { OutputFile } from '../../../../formats/output-file.ts';
import { CannotJoin } from '../cannot-join.ts';
import { type JoinResult, joinSegments, type Parts, type Seam, type SegmentFile } from '../join-segments.ts';

/** All samples of an output, in the order in which a single encoder would receive them. */
export interface SamplesDigest {
  /** Per channel. */
  samples: number;
  md5: Buffer;
}

async function write(parts: Parts<FlacFile, Seam>, outputPath: string, digest: SamplesDigest): Promise<void> {
  const { head } = parts[0].reader;
  await OutputFile.write(outputPath, async (output) => {
    await output.append(head);
    let number = 0;
    let [leastFrame, mostFrame] = [Infinity, 0];
    for (const { reader, from, to } of parts) {
      for (let frame = from; frame < to; frame += 1) {
        const pieces = await reader.frame(frame, number);
        const size = pieces.reduce((sum, { length }) => sum + length, 0);
        [leastFrame, mostFrame] = [Math.min(leastFrame, size), Math.max(mostFrame, size)];
        for (const piece of pieces) await output.append(piece);
        number += 1;
      }
    }
    await output.overwrite(
      0,
      totalFlacHead(head, { leastFrame, mostFrame, samples: digest.samples, digest: digest.md5 }),
    );
  });
}

/** Joins segments to the exact file of a single encoder: frames do not depend on each other, except in their numbers. */
export async function joinFlac(
  segments: readonly SegmentFile[],
  outputPath: string,
  digest?: SamplesDigest,
): Promise<JoinResult> {
  if (digest === undefined) throw new CannotJoin('the digest of all samples is missing');
  return await joinSegments<FlacFile, Seam>(
    segments,
    {
      open: FlacFile.open,
      countFrames: (reader) => reader.frameCount,
      findSeam: async (_, earlier, __, later) => ({ earlier, later, isExact: true }),
      seamCondition: 'between two frames',
      write: async (parts, path) => await write(parts, path, digest),
    },
    outputPath,
  );
}
