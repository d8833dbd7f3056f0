import type { AudioPlan } from '../../plan/audio-plan.ts';
import { createFrameGrid, overlapFrames, overlapSecondsOf, sourceSamplesAt, type FrameGrid } from './grid.ts';
import { joinableCodecs, type JoinableCodec } from './joinable-codecs.ts';

/** Segments must take less than this share of the single run's time to be worth the other cores' work. */
const worthwhileRatio = 0.95;

/**
 * Twice as many segments as cores balance cores of uneven speed. This applies if the overlaps add no more than this
 * share.
 */
const maxRunInShare = 0.03;

/** A segment: the input of its encoder, and its own frames. */
export interface Segment {
  /** Frame of the whole file at which its own part starts. */
  cut: number;
  /** Frames before the cut that the encoder receives as run-in. */
  runIn: number;
  /** Samples of the source, or of what a cut leaves of it. `sourceTo` is exclusive; undefined: to the end. */
  sourceFrom: number;
  sourceTo: number | undefined;
  /** Samples of the output before the encoder's first. */
  outputFrom: number;
  /** Samples that must enter the encoder; undefined: all that arrive. */
  outputSamples: number | undefined;
}

export interface SplitOutputPlan {
  kind: 'split';
  audio: AudioPlan;
  codec: JoinableCodec;
  grid: FrameGrid;
  segments: Segment[];
}

/** How an output is made: whole, by one encoder, or in segments. */
export type SplitPlan = { kind: 'whole'; reason: string } | SplitOutputPlan;

export interface SplitSource {
  sampleRate: number;
  /** Best estimate before anything is decoded. */
  seconds: number | undefined;
}

/** Part of an output in seconds; undefined `to`: to its end. */
export interface OutputRange {
  from: number;
  to: number | undefined;
}

/**
 * Lays out segments that start at these frames, on the grid's steps. `last`: frame at which the last segment ends;
 * undefined: the end of the output.
 */
export function layOutSegments(
  cuts: readonly number[],
  grid: FrameGrid,
  codec: JoinableCodec,
  last?: number,
): Segment[] {
  const { before, behind } = overlapFrames(grid, codec);
  return cuts.map((cut, index): Segment => {
    const runIn = Math.min(cut, before);
    const next = cuts[index + 1] ?? last;
    const end = next === undefined ? undefined : next + behind;
    const begin = cut - runIn;
    return {
      cut,
      runIn,
      sourceFrom: sourceSamplesAt(grid, begin),
      sourceTo: end === undefined ? undefined : sourceSamplesAt(grid, end),
      outputFrom: begin * grid.frameSamples,
      outputSamples: end === undefined ? undefined : (end - begin) * grid.frameSamples,
    };
  });
}

/**
 * Least length of a segment in multiples of its overlap. With shorter segments, more cores would mostly encode the same
 * audio twice.
 */
const minSegmentInOverlaps = 2;

/** Number of segments that takes the least time on this many processes; 1 if splitting does not pay. */
function chooseSegmentCount(
  seconds: number,
  { overlapSeconds, fixedCostSeconds }: { overlapSeconds: number; fixedCostSeconds: number },
  processes: number,
): number {
  const count = Math.min(processes, Math.floor(seconds / (overlapSeconds * minSegmentInOverlaps)));
  if (count < 2 || seconds / count + overlapSeconds + fixedCostSeconds > seconds * worthwhileRatio) return 1;
  return 2 * processes * overlapSeconds <= seconds * maxRunInShare ? 2 * processes : count;
}

export interface SplitOptions {
  codec?: JoinableCodec | undefined;
  /** Part of the output to encode, however short it is; undefined: all of it. */
  range?: OutputRange | undefined;
}

/** Seconds of an output; undefined if only decoding shows them. */
export function outputSeconds(source: SplitSource, { cut }: AudioPlan): number | undefined {
  return cut === undefined ? source.seconds : cut.keptSamples / cut.sampleRate;
}

/** Decides whether and where an output is cut. `processes` is the number of encoders that may run for it at a time. */
export function planSplit(
  source: SplitSource,
  output: AudioPlan,
  processes: number,
  { codec = joinableCodecs[output.codec], range }: SplitOptions = {},
): SplitPlan {
  const whole = (reason: string): SplitPlan => ({ kind: 'whole', reason });
  if (codec === undefined) return whole(`${output.codec} is not split`);
  if (processes < 2 && range === undefined) return whole('one process at a time');
  const { mostChannels = Infinity } = codec;
  if (output.channels > mostChannels) return whole(`more than ${mostChannels} channels of ${output.codec}`);
  const refusal = codec.refuse?.(output);
  if (refusal !== undefined) return whole(refusal);
  const seconds = outputSeconds(source, output);
  if (seconds === undefined) return whole('a source of unknown length');
  const grid = createFrameGrid(codec, output, source.sampleRate);
  if (grid === undefined) return whole('rates in no simple ratio');
  const overlapSeconds = overlapSecondsOf(grid, codec);
  const { from, to } = range ?? { from: 0, to: undefined };
  const length = (to ?? seconds) - from;
  const count = chooseSegmentCount(length, { overlapSeconds, fixedCostSeconds: codec.fixedCostSeconds }, processes);
  if (count === 1 && range === undefined) return whole('too short to gain by it');
  const stepSeconds = (grid.step * grid.frameSamples) / grid.outputRate;
  const frameAt = (place: number): number => Math.round(place / stepSeconds) * grid.step;
  const cuts = Array.from({ length: count }, (_, index) => frameAt(from + (length * index) / count));
  const last = to === undefined ? undefined : frameAt(to);
  return { kind: 'split', audio: output, codec, grid, segments: layOutSegments(cuts, grid, codec, last) };
}
