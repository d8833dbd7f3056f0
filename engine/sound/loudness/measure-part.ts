import type { ProcessLimits } from '../../ffmpeg/process-limits.ts';
import type { FfmpegProgress } from '../../ffmpeg/progress.ts';
import { runFfmpeg } from '../../ffmpeg/run.ts';
import { createBlockReader } from './block-reader.ts';
import { blocksPerSecond, type LoudnessBlocks } from './gating.ts';

/** Blocks and peak of a file or a part of it. */
export interface Measured extends LoudnessBlocks {
  /** dBTP; -Infinity for silence. */
  truePeak: number;
}

/** Input and options of one ffmpeg run with `meterOptions`. */
export interface MeterRun {
  input: string;
  inputOptions: readonly string[];
  options: readonly string[];
  limits: ProcessLimits;
  signal: AbortSignal;
  onProgress(progress: FfmpegProgress): void;
}

/** `ebur128` reports lower peaks to a thousandth, which is coarser than the tenth of a decibel in its summary. */
const leastPreciseLinear = 0.1;

/** Range in Hz in which ffmpeg's K-weighting filters are stable and its true-peak measurement is valid. */
const meterRates = { least: 8000, most: 192_000 };

/**
 * Blocks of silence after the measured sound. The meter reports peaks only at the end of a block, and peaks between
 * samples appear some samples late.
 */
const silentBlocks = 2;

export interface Metered {
  /** Hz at the output of the filters. */
  sampleRate: number;
  /** Audio stream, from 0. */
  track?: number;
  withPeaks?: boolean;
}

/**
 * ffmpeg options that measure the output of `filters`. Peaks take three times as long as the rest; without them they
 * are -Infinity.
 */
export function meterOptions(
  filters: readonly string[],
  { sampleRate, track = 0, withPeaks = true }: Metered,
): string[] {
  const rate = Math.min(meterRates.most, Math.max(meterRates.least, sampleRate));
  const atRate = rate === sampleRate ? [] : [`aresample=${rate}`];
  const peaks = withPeaks ? 'true' : 'none';
  const meter = [
    // Length of a meter's block. If a tenth of the rate is not an integer, the meter drops the fraction.
    `apad=pad_len=${silentBlocks * Math.floor(rate / blocksPerSecond)}`,
    `ebur128=peak=${peaks}:metadata=1:framelog=verbose`,
    'ametadata=mode=print:file=-',
  ];
  return ['-map', `0:a:${track}`, '-af', [...filters, ...atRate, ...meter].join(','), '-f', 'null'];
}

/** Measures with one ffmpeg. A block ends every 100 ms. It is -120 LUFS while its window is not full. */
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
