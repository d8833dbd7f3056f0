import type { JoinableCodec } from '../joinable-codecs.ts';
import { CannotJoin } from './cannot-join.ts';
import type { JoinResult, SegmentFile } from './join-segments.ts';

/** Joins segments whose encoders received `samples` per channel. Throws CannotJoin if the file has another length. */
export async function joinExactly(
  codec: Pick<JoinableCodec, 'join' | 'frameCount'>,
  segments: readonly SegmentFile[],
  path: string,
  samples: number,
  sampleRate: number,
): Promise<JoinResult> {
  const joined = await codec.join(segments, path);
  if (joined.frames !== codec.frameCount(samples, sampleRate)) {
    throw new CannotJoin(`${joined.frames} frames of ${samples} samples`);
  }
  return joined;
}
