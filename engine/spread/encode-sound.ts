import { endsTheJob } from '../ends-the-job.ts';
import type { EncodeLimits } from '../ffmpeg/limits.ts';
import { MalformedFile } from '../formats/malformed-file.ts';
import { MediaError } from '../media-error.ts';
import type { EncodedFile, EncodeTarget } from '../plan/encoded-file.ts';
import { CannotJoin } from '../sound/segmented/join/cannot-join.ts';
import type { SplitOutputPlan } from '../sound/segmented/plan.ts';
import { planEncode, type SegmentedPlan } from '../sound/segmented/plan-encode.ts';
import { encodeInSegments } from '../sound/segmented/run.ts';
import type { Source } from '../source/source.ts';
import type { Work } from '../work.ts';
import type { SegmentRange } from './plan-spread.ts';
import { lengthMs } from './plan-sound.ts';

/** The sound of one output in one segment, with what its encoder received before and after it. */
export interface SoundSegment {
  path: string;
  /** Index among the job's targets. */
  file: number;
  /** Frame of the output at which the segment's own part starts. */
  cut: number;
  /** Frames before it in the file. */
  runIn: number;
  /** Samples per channel that entered the encoder. */
  samples: number;
  encoded: EncodedFile;
}

/** Encodes one segment of all targets that can be divided, on every core. Throws `segment_mismatch`. */
export async function encodeSoundSegment(
  source: Source,
  targets: readonly EncodeTarget[],
  { from, to }: SegmentRange,
  limits: EncodeLimits,
  work: Work,
): Promise<SoundSegment[]> {
  work.advance('encode', 0);
  const planOf = async (end: number | undefined) =>
    await planEncode(
      source,
      targets.map(({ plan }) => plan),
      limits.encodeParallelism,
      { from: from / 1000, to: end },
    );
  const bounded = await planOf(to / 1000);
  const lengths = bounded.kind === 'single' ? [] : splitsOf(bounded).map(({ split }) => lengthMs(split, source));
  if (from >= to || lengths.length === 0 || lengths.some((length) => to > length)) {
    throw new MediaError('invalid_request', `The outputs have no sound from ${from} to ${to} ms that can be divided.`);
  }
  // Only decoding shows where the sound ends.
  const plan = lengths.some((length) => to === length) ? await planOf(undefined) : bounded;
  if (plan.kind === 'single') throw new TypeError('The end of a range does not decide whether it can be divided');
  const parts = splitsOf(plan).map((part) => ({ ...part, path: `${targets[part.file]?.path ?? ''}-segment` }));
  const segmentTargets = parts.map(({ path, split: { audio }, file }): EncodeTarget => {
    const target = targets[file];
    if (target === undefined) throw new TypeError('A plan has an output for each target');
    return { plan: { ...target.plan, audio }, path };
  });
  const place = { fromSeconds: from / 1000, sourceSeconds: to / 1000 };
  const encoding = { ...plan, ...place, splits: parts.map(({ split }) => split) };
  const sourcePath = source.audio?.path ?? source.path;
  const files = await encodeInSegments(sourcePath, segmentTargets, encoding, limits, work).catch((error: unknown) => {
    work.signal.throwIfAborted();
    const isOfSegments = error instanceof CannotJoin || error instanceof MalformedFile;
    // A single run needs no raw samples and no join, so that it may succeed where a segment fails.
    if (!isOfSegments && (!(error instanceof MediaError) || endsTheJob(error))) throw error;
    const reason = error.message.replace(/\.$/, '');
    throw new MediaError('segment_mismatch', `A segment of the sound cannot be encoded: ${reason}.`, {
      details: { from, to },
      cause: error,
    });
  });
  return parts.map(({ path, file, split }, index) => {
    const [encoded, first] = [files[index], split.segments[0]];
    if (encoded === undefined || first === undefined) throw new Error('A segment was not made');
    const samples = Math.round((encoded.streams.audio?.seconds ?? 0) * split.grid.outputRate);
    return { path, file, cut: first.cut, runIn: first.runIn, samples, encoded };
  });
}

function splitsOf({ splits }: SegmentedPlan): { file: number; split: SplitOutputPlan }[] {
  return splits.flatMap((split, file) => (split.kind === 'split' ? [{ file, split }] : []));
}
