import { encodeArguments, type Trim } from '../arguments.ts';
import { planCutPart } from '../../plan/cut-plan.ts';
import type { EncodeTarget } from '../../plan/encoded-file.ts';
import { runWithinLimits } from '../../ffmpeg/limited-run.ts';
import type { RunLimits } from '../../ffmpeg/limits.ts';
import type { RawSamples } from '../../source/raw-samples.ts';
import type { AudioPlan } from '../../plan/audio-plan.ts';
import type { AudioSource } from '../../source/source.ts';
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

/** Source of the segments' samples: the entry of the plan, with its file of raw samples if it needs one. */
export type SegmentInput = SeekEntry | FrameEntry | { kind: 'pcm'; raw: RawSamples };

export interface SegmentReader {
  source: AudioSource;
  input: SegmentInput;
}

/** Properties shared by the segments of all outputs of a track. */
export interface SegmentedJob extends SegmentReader {
  limits: RunLimits;
  /** Folder for segments and raw samples. */
  folder: string;
}

/** Options of an output for the samples that `trim` leaves. */
export type SegmentOptions = (audio: AudioPlan, trim?: Trim) => string[];

/** Arguments by which ffmpeg reads a segment's samples and encodes them. */
export async function segmentArguments(
  { source, input }: SegmentReader,
  span: SegmentSpan,
  audio: AudioPlan,
  segmentOptions: SegmentOptions,
  signal: AbortSignal,
): Promise<SegmentArguments> {
  const { path, sampleRate } = source;
  const part = audio.cut && planCutPart(audio.cut, span.sourceFrom, span.sourceTo);
  const read: SegmentSpan =
    part === undefined ? span : { ...span, sourceFrom: part.source.from, sourceTo: part.source.to };
  const cut = part?.cut;
  const options: TrimmedOptions = (trim) => segmentOptions({ ...audio, cut }, trim);
  if (read.sourceFrom === 0 && input.kind !== 'seek') return firstSegmentArguments(path, sampleRate, read, options);
  switch (input.kind) {
    case 'seek':
      return seekArguments(path, sampleRate, read, options);
    case 'frames':
      return frameArguments(path, input.frames, read, options);
    case 'pcm': {
      // Raw samples are one track alone, include the silence before it, and have timestamps of their own.
      const { stampScale: _, hidesStart: __, ...facts } = audio.sourceTime;
      const sourceTime = { ...facts, leadSeconds: 0 };
      return rawArguments(await input.raw.part(read.sourceFrom, read.sourceTo, signal), (trim) =>
        segmentOptions({ ...audio, cut, track: 0, sourceTime }, trim),
      );
    }
  }
}

/** Samples that must enter a segment's encoder; undefined if only the source knows their number. */
function expectedSamples(
  { source, input }: SegmentReader,
  { outputFrom, outputSamples }: Segment,
  audio: AudioPlan,
): { atLeast: number; atMost: number } | undefined {
  if (outputSamples !== undefined) return { atLeast: outputSamples, atMost: outputSamples };
  const declaredSamples = input.kind === 'seek' ? input.declaredSamples : undefined;
  const samples = audio.cut?.keptSamples ?? declaredSamples;
  if (samples === undefined) return undefined;
  // The resampler makes one or no sample of a fraction at the end, as in the single run.
  const resampled = (samples * audio.sampleRate) / source.sampleRate - outputFrom;
  return { atLeast: Math.floor(resampled), atMost: Math.ceil(resampled) };
}

/** Encodes one segment to the target's path. Returns the number of samples that entered the encoder. */
export async function encodeSegment(
  job: SegmentedJob,
  segment: Segment,
  audio: AudioPlan,
  { plan, path }: EncodeTarget,
  signal: AbortSignal,
  onAdvance: (mediaSeconds: number) => void,
): Promise<number> {
  const options: SegmentOptions = (ofSegment, trim) => encodeArguments({ ...plan, audio: ofSegment }, trim);
  const { input, inputOptions, outputOptions } = await segmentArguments(job, segment, audio, options, signal);
  const run = { input, inputOptions, outputs: [{ path, options: outputOptions }] };
  const fromSeconds = segment.sourceFrom / job.source.sampleRate;
  const statistics = await runWithinLimits(run, job.limits, signal, onAdvance, fromSeconds);
  const samples = statistics.encodedSamples.get(0) ?? 0;
  const expected = expectedSamples(job, segment, audio);
  if (samples < (expected?.atLeast ?? 1) || samples > (expected?.atMost ?? Infinity)) {
    throw new CannotJoin(`a segment of ${samples} samples for ${expected?.atMost}`);
  }
  // Lost frames shift everything after them, and a process that starts later does not know of earlier losses.
  if (job.input.kind !== 'pcm' && statistics.undecodedPackets > 0) throw new CannotJoin('a damaged source');
  return samples;
}
