import type { ProcessLimits } from '../../ffmpeg/process-limits.ts';
import type { FfmpegProgress } from '../../ffmpeg/progress.ts';
import { runFfmpeg } from '../../ffmpeg/run.ts';
import { createBlockReader } from './block-reader.ts';
import { blocksPerSecond, type LoudnessBlocks } from './gating.ts';

/** Blocks and peak of a whole, or of a part of it. */
export interface Measured extends LoudnessBlocks {
  /** dBTP; -Infinity: silence */
  truePeak: number;
}

/** What ffmpeg reads and how, with the options of `meterOptions`. */
export interface MeterRun {
  input: string;
  inputOptions: readonly string[];
  options: readonly string[];
  limits: ProcessLimits;
  signal: AbortSignal;
  onProgress(progress: FfmpegProgress): void;
}

/** Under this `ebur128` tells a peak to a thousandth, which is less exact than the tenth of a decibel in its summary. */
const leastPreciseLinear = 0.1;

/** Hz between which ffmpeg's K-weighting filters are stable, and its measure of true peaks is one. */
const meterRates = { least: 8000, most: 192_000 };

/**
 * Blocks of silence behind what is measured: the meter tells peaks at the end of a block alone, and finds those between samples some
 * samples late.
 */
const silentBlocks = 2;

/** What is measured of an input. */
export interface Metered {
  /** Hz of what comes out of the filters */
  sampleRate: number;
  /** the audio stream, from 0 */
  track?: number;
  withPeaks?: boolean;
}

/**
 * ffmpeg's options for a measure of what comes out of `filters`. Peaks take three times as long as the rest;
 * without them they are -Infinity.
 */
export function meterOptions(
  filters: readonly string[],
  { sampleRate, track = 0, withPeaks = true }: Metered,
): string[] {
  const rate = Math.min(meterRates.most, Math.max(meterRates.least, sampleRate));
  const atRate = rate === sampleRate ? [] : [`aresample=${rate}`];
  const peaks = withPeaks ? 'true' : 'none';
  const meter = [
    // A block of the meter, as it counts: where a tenth of the rate is no whole number, without the rest.
    `apad=pad_len=${silentBlocks * Math.floor(rate / blocksPerSecond)}`,
    `ebur128=peak=${peaks}:metadata=1:framelog=verbose`,
    'ametadata=mode=print:file=-',
  ];
  return ['-map', `0:a:${track}`, '-af', [...filters, ...atRate, ...meter].join(','), '-f', 'null'];
}

/** Measures by one ffmpeg. A block ends every 100 ms; it is -120 LUFS where its window is not full yet. */
export async function measureRun(run: MeterRun): Promise<Measured & { undecodedPackets: number }> {
  const { input, inputOptions, options, limits, signal, onProgress } = run;
  const { read, readings } = createBlockReader();
  const outputs = [{ path: '-', options }];
  const { truePeak, undecodedPackets } = await runFfmpeg({
    ...{ input, inputOptions, outputs, limits, signal, onProgress },
    onOutput: read,
  });
  const { truePeak: peak } = readings;
  const precise = peak < leastPreciseLinear ? truePeak : 20 * Math.log10(peak);
  const heard = (blocks: readonly number[]): number[] => blocks.slice(0, -silentBlocks);
  const [momentary, shortTerm] = [heard(readings.momentary), heard(readings.shortTerm)];
  return { momentary, shortTerm, truePeak: precise ?? -Infinity, undecodedPackets };
}
