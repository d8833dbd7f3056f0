import { encodeArguments } from '../arguments.ts';
import type { EncodeTarget } from '../encoded-file.ts';
import { runWithinLimits } from '../limited-run.ts';
import type { RunLimits } from '../limits.ts';
import type { RawSamples } from '../raw-samples.ts';
import type { OutputPlan } from '../output-plan.ts';
import type { AudioSource } from '../source.ts';
import type { FrameEntry, SeekEntry } from './entry.ts';
import { CannotJoin } from './join/cannot-join.ts';
import type { Segment } from './plan.ts';
import {
  firstSegmentArguments,
  frameArguments,
  rawArguments,
  seekArguments,
  type SegmentArguments,
  type SegmentSpan,
  type TrimmedOptions,
} from './segment-arguments.ts';

/** Where the encoders of segments get their samples: the entry of the plan, with the file of raw samples where it needs one. */
export type SegmentInput = SeekEntry | FrameEntry | { kind: 'pcm'; raw: RawSamples };

/** What all segments of a job have in common. */
export interface SegmentedJob {
  source: AudioSource;
  input: SegmentInput;
  limits: RunLimits;
  /** for the files of segments and raw samples */
  folder: string;
}

/** How ffmpeg gets at the samples of a segment, and what it makes of them. */
export async function segmentArguments(
  { source, input }: Pick<SegmentedJob, 'source' | 'input'>,
  segment: SegmentSpan,
  options: TrimmedOptions,
  signal: AbortSignal,
): Promise<SegmentArguments> {
  const { path, sampleRate } = source;
  if (segment.sourceFrom === 0 && input.kind !== 'seek')
    return firstSegmentArguments(path, sampleRate, segment, options);
  switch (input.kind) {
    case 'seek':
      return seekArguments(path, sampleRate, segment, options);
    case 'frames':
      return frameArguments(path, input.frames, segment, options);
    case 'pcm':
      return rawArguments(await input.raw.part(segment.sourceFrom, segment.sourceTo, signal), options);
  }
}

/** How many samples must go into the encoder of a segment; undefined: only the source knows how many there are. */
function expectedSamples({ source, input }: SegmentedJob, segment: Segment, plan: OutputPlan): number | undefined {
  if (segment.outputSamples !== undefined) return segment.outputSamples;
  if (input.kind !== 'seek' || input.declaredSamples === undefined) return undefined;
  const outputRate = plan.audio?.sampleRate ?? source.sampleRate;
  return Math.ceil((input.declaredSamples * outputRate) / source.sampleRate) - segment.outputFrom;
}

/** Encodes one segment into the target's path. Answers how many samples went into the encoder. */
export async function encodeSegment(
  job: SegmentedJob,
  segment: Segment,
  { plan, path }: EncodeTarget,
  signal: AbortSignal,
  onAdvance: (mediaSeconds: number) => void,
): Promise<number> {
  const { input, inputOptions, outputOptions } = await segmentArguments(
    job,
    segment,
    (trim) => encodeArguments(plan, trim),
    signal,
  );
  const run = { input, inputOptions, outputs: [{ path, options: outputOptions }] };
  const fromSeconds = segment.sourceFrom / job.source.sampleRate;
  const statistics = await runWithinLimits(run, job.limits, signal, onAdvance, fromSeconds);
  const samples = statistics.encodedSamples.get(0) ?? 0;
  const expected = expectedSamples(job, segment, plan);
  if (expected === undefined ? samples === 0 : samples !== expected) {
    throw new CannotJoin(`a segment of ${samples} samples for ${expected}`);
  }
  // Lost frames move everything after them, and a process that begins later knows nothing of those before it.
  if (job.input.kind !== 'pcm' && statistics.undecodedPackets > 0) throw new CannotJoin('a damaged source');
  return samples;
}
