import type { AudioCodec } from '../../../contract/formats.ts';
import type { AudioPlan } from '../output-plan.ts';
import { frameGrid, roundUpToStep, sourceSamplesAt, type FrameGrid } from './grid.ts';

/** Frames that an encoder needs to forget that it began later, and those past the cut among which the seam is sought. */
interface Overlap {
  runIn: number;
  runOut: number;
}

/** Measured on music and speech (ARCHITECTURE.md): with half of it one seam in ten was not exact. */
const overlaps: Partial<Record<AudioCodec, Overlap>> = {
  mp3: { runIn: 400, runOut: 60 },
  aac: { runIn: 400, runOut: 60 },
  opus: { runIn: 1000, runOut: 160 },
};

/** Stitching and starting processes, in seconds of audio that an encoder does meanwhile. */
const fixedCostSeconds = 20;

/** Below this gain the second core is not worth its work. */
const worthwhileRatio = 0.95;

/** Twice as many segments as cores even out cores of uneven speed, where the run-ins add no more than this. */
const maxRunInShare = 0.03;

/** One segment: what its encoder is given, and which of its frames are its own. */
export interface Segment {
  /** frame of the whole file at which its own part begins */
  cut: number;
  /** frames before it that the encoder is given to run in */
  runIn: number;
  /** samples of the source: from, and to before; undefined: to its end */
  sourceFrom: number;
  sourceTo: number | undefined;
  /** samples of the output before the encoder's first */
  outputFrom: number;
  /** samples that must go into the encoder; undefined: as many as come */
  outputSamples: number | undefined;
}

export type SplitPlan = { kind: 'whole'; reason: string } | { kind: 'split'; grid: FrameGrid; segments: Segment[] };

/** What the plan needs to know of the source. */
export interface SplitSource {
  sampleRate: number;
  /** the best guess before anything is decoded */
  seconds: number | undefined;
}

/** Segments that begin at these frames (the first is 0, all are on the grid's steps). */
export function segmentsAt(cuts: readonly number[], grid: FrameGrid, codec: AudioCodec): Segment[] {
  const overlap = overlaps[codec] ?? { runIn: 0, runOut: 0 };
  return cuts.map((cut, index): Segment => {
    const runIn = Math.min(cut, roundUpToStep(grid, overlap.runIn));
    const next = cuts[index + 1];
    const end = next === undefined ? undefined : next + roundUpToStep(grid, overlap.runOut);
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

/** A segment is so many times as long as its overlap at least: more cores would only encode more of the same. */
const minSegmentInOverlaps = 2;

/**
 * With fewer bits than this for each sample LAME's reservoir is at its end all the time, and two encoders of speech do not
 * come to agree (measured: ARCHITECTURE.md, "What is never split").
 */
const minMp3BitsPerSample = 0.7;

/** How many segments are done soonest by so many processes; 1: splitting does not pay. */
function chooseSegmentCount(seconds: number, overlapSeconds: number, processes: number): number {
  const count = Math.min(processes, Math.floor(seconds / (overlapSeconds * minSegmentInOverlaps)));
  if (count < 2 || seconds / count + overlapSeconds + fixedCostSeconds > seconds * worthwhileRatio) return 1;
  return 2 * processes * overlapSeconds <= seconds * maxRunInShare ? 2 * processes : count;
}

/** Decides whether and where one output is cut (pure). `processes` is how many encoders may run for it at a time. */
export function planSplit(source: SplitSource, output: AudioPlan, processes: number): SplitPlan {
  const whole = (reason: string): SplitPlan => ({ kind: 'whole', reason });
  const overlap = overlaps[output.codec];
  if (overlap === undefined) return whole(`${output.codec} is not split`);
  if (processes < 2) return whole('one process at a time');
  if (output.channels > 2) return whole('more than two channels');
  if (output.codec === 'mp3' && (output.bitrate ?? 0) * 1000 < minMp3BitsPerSample * output.sampleRate) {
    return whole('too few bits for two encoders to agree');
  }
  const { seconds } = source;
  if (seconds === undefined) return whole('a source of unknown length');
  const grid = frameGrid(output, source.sampleRate);
  if (grid === undefined) return whole('rates in no simple ratio');
  const frameSeconds = grid.frameSamples / grid.outputRate;
  const overlapFrames = roundUpToStep(grid, overlap.runIn) + roundUpToStep(grid, overlap.runOut);
  const count = chooseSegmentCount(seconds, overlapFrames * frameSeconds, processes);
  if (count === 1) return whole('too short to gain by it');
  const steps = seconds / frameSeconds / grid.step;
  const cuts = Array.from({ length: count }, (_, index) => Math.round((steps * index) / count) * grid.step);
  return { kind: 'split', grid, segments: segmentsAt(cuts, grid, output.codec) };
}
