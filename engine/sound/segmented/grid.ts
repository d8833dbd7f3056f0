import { greatestCommonDivisor } from '../../ffmpeg/rational.ts';
import type { AudioPlan } from '../../plan/audio-plan.ts';
import { speechFrameSamples, speechMemorySeconds } from '../speech-level.ts';

/** Converts frames of an output to samples of its encoder and of the source, and defines where segments may start. */
export interface FrameGrid {
  /** Samples per channel in one frame of the output. */
  frameSamples: number;
  /** Hz. */
  outputRate: number;
  sourceRate: number;
  /** Segments start at multiples of this number of frames, where the encoder and all filters before it are in phase. */
  step: number;
  /** Frames before and after a frame that affect its filtered samples. */
  memoryFrames: number;
}

/** Properties of an output that determine its grid. */
export type GridOutput = Pick<AudioPlan, 'bitrate' | 'sampleRate' | 'evensSpeech'>;

/** How a codec's encoder divides time. */
export interface CodecFrames {
  /** Samples per channel in one frame at this rate in Hz. */
  frameSamples(sampleRate: number): number;
  /** Frames after which the encoder repeats its behaviour, given the same samples. */
  encoderPeriod(output: GridOutput): number;
}

/** libswresample keeps exact phases up to this number (phase_shift 10). */
const maxResamplerPhases = 1024;

function leastCommonMultiple(a: number, b: number): number {
  return (a / greatestCommonDivisor(a, b)) * b;
}

/** Frames after which the resampler is at a whole sample of the source and in its first phase again. */
function resamplerPeriod(frameSamples: number, outputRate: number, sourceRate: number): number {
  const outputPeriod = outputRate / greatestCommonDivisor(outputRate, sourceRate);
  return leastCommonMultiple(frameSamples, outputPeriod) / frameSamples;
}

/** Undefined if the resampler does not keep the exact ratio of the rates. */
export function createFrameGrid(codec: CodecFrames, output: GridOutput, sourceRate: number): FrameGrid | undefined {
  const { sampleRate, evensSpeech } = output;
  const phases = sampleRate / greatestCommonDivisor(sampleRate, sourceRate);
  if (phases > maxResamplerPhases) return undefined;
  const frameSamples = codec.frameSamples(sampleRate);
  const periods = [
    resamplerPeriod(frameSamples, sampleRate, sourceRate),
    codec.encoderPeriod(output),
    ...(evensSpeech ? [leastCommonMultiple(frameSamples, speechFrameSamples(sampleRate)) / frameSamples] : []),
  ];
  return {
    frameSamples,
    outputRate: sampleRate,
    sourceRate,
    step: periods.reduce(leastCommonMultiple),
    memoryFrames: evensSpeech ? Math.ceil((speechMemorySeconds * sampleRate) / frameSamples) : 0,
  };
}

/** Samples of the source before frame `frame`; an integer at every step. */
export function sourceSamplesAt(grid: FrameGrid, frame: number): number {
  return (frame * grid.frameSamples * grid.sourceRate) / grid.outputRate;
}

/** Frames before and after a segment's own that its encoder also receives. */
export function overlapFrames(grid: FrameGrid, codec: { runInFrames: number; runOutFrames: number }) {
  const { runInFrames, runOutFrames } = codec;
  return {
    before: roundUpToStep(grid, runInFrames + grid.memoryFrames),
    behind: roundUpToStep(grid, runOutFrames + grid.memoryFrames),
  };
}

/** Seconds that a segment's encoder receives in addition to the segment. */
export function overlapSecondsOf(grid: FrameGrid, codec: { runInFrames: number; runOutFrames: number }): number {
  const { before, behind } = overlapFrames(grid, codec);
  return ((before + behind) * grid.frameSamples) / grid.outputRate;
}

function roundUpToStep(grid: FrameGrid, frames: number): number {
  return Math.ceil(frames / grid.step) * grid.step;
}
