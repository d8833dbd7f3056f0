import type { AudioPlan } from '../../plan/audio-plan.ts';
import { speechFrameSamples, speechMemorySeconds } from '../speech-level.ts';

/** Turns frames of an output into samples of its encoder and of the source, and says where segments may begin. */
export interface FrameGrid {
  /** samples of the output in one frame, for each channel */
  frameSamples: number;
  /** Hz of output and source */
  outputRate: number;
  sourceRate: number;
  /** Segments begin at multiples of so many frames: there the periods of the encoder and of all filters before it begin anew. */
  step: number;
  /** So many frames before and behind one decide what the filters make of it. */
  memoryFrames: number;
}

/** What the grid depends on of an output. */
export type GridOutput = Pick<AudioPlan, 'bitrate' | 'sampleRate' | 'evensSpeech'>;

/** How a codec's encoder divides time. */
export interface CodecFrames {
  /** samples of one frame, for each channel, at that rate in Hz */
  frameSamples(sampleRate: number): number;
  /** frames after which the encoder does the same again, given the same samples */
  encoderPeriod(output: GridOutput): number;
}

/** libswresample is exact in its phases up to so many of them (phase_shift 10). */
const maxResamplerPhases = 1024;

export function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

function leastCommonMultiple(a: number, b: number): number {
  return (a / greatestCommonDivisor(a, b)) * b;
}

/** Frames after which the resampler is at a whole sample of the source and in its first phase again. */
function resamplerPeriod(frameSamples: number, outputRate: number, sourceRate: number): number {
  const outputPeriod = outputRate / greatestCommonDivisor(outputRate, sourceRate);
  return leastCommonMultiple(frameSamples, outputPeriod) / frameSamples;
}

/** Undefined where the resampler does not keep the ratio of the rates exactly. */
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

/** Samples of the source before frame `frame`: whole at every step. */
export function sourceSamplesAt(grid: FrameGrid, frame: number): number {
  return (frame * grid.frameSamples * grid.sourceRate) / grid.outputRate;
}

/** Frames before a segment's own and behind them that its encoder is given besides. */
export function overlapFrames(grid: FrameGrid, codec: { runInFrames: number; runOutFrames: number }) {
  const { runInFrames, runOutFrames } = codec;
  return {
    before: roundUpToStep(grid, runInFrames + grid.memoryFrames),
    behind: roundUpToStep(grid, runOutFrames + grid.memoryFrames),
  };
}

function roundUpToStep(grid: FrameGrid, frames: number): number {
  return Math.ceil(frames / grid.step) * grid.step;
}
