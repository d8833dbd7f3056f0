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

/** Range in Hz in which ffmpeg's K-weighting filters are stable. */
const meterRates = { least: 8000, most: 192_000 };

/**
 * Filters that find peaks between samples, at eight times the rate. The peak meter of `ebur128` works at 192 kHz with a
 * filter that is too short for noise and for high tones: it reads up to a decibel too little. Both resamplers keep the
 * band up to 0.995 of its width. libsoxr takes half of the time. ffmpeg's own resampler needs two steps: behind the
 * first, a short filter suffices. Without `osf`, ffmpeg chooses 16 bits, which clip.
 */
function peakFilters(rate: number, withSoxr: boolean): string[] {
  const steps = withSoxr
    ? [`aresample=${8 * rate}:resampler=soxr:precision=20:cutoff=0.995:osf=fltp`]
    : [`aresample=${2 * rate}:filter_size=256:cutoff=0.995:osf=fltp`, `aresample=${8 * rate}:filter_size=16:osf=fltp`];
  return ['aformat=sample_fmts=fltp', ...steps, 'astats=measure_perchannel=none:measure_overall=Peak_level'];
}

/** Blocks of silence after the measured sound. The meter reports only whole blocks. */
const silentBlocks = 2;

export interface Metered {
  /** Hz at the output of the filters. */
  sampleRate: number;
  /** Audio stream, from 0. */
  track?: number;
  withPeaks?: boolean;
  /** ffmpeg has libsoxr. */
  withSoxr: boolean;
}

/**
 * ffmpeg options that measure the output of `filters`. Peaks take twice as long as the rest; without them they are
 * -Infinity.
 */
export function meterOptions(
  filters: readonly string[],
  { sampleRate, track = 0, withPeaks = true, withSoxr }: Metered,
): string[] {
  const rate = Math.min(meterRates.most, Math.max(meterRates.least, sampleRate));
  const atRate = rate === sampleRate ? [] : [`aresample=${rate}`];
  const meter = [
    // Length of a meter's block. If a tenth of the rate is not an integer, the meter drops the fraction.
    `apad=pad_len=${silentBlocks * Math.floor(rate / blocksPerSecond)}`,
    'ebur128=metadata=1:framelog=verbose',
    'ametadata=mode=print:file=-',
    ...(withPeaks ? peakFilters(rate, withSoxr) : []),
  ];
  return ['-map', `0:a:${track}`, '-af', [...filters, ...atRate, ...meter].join(','), '-f', 'null'];
}

/** Measures with one ffmpeg. A block ends every 100 ms. It is -120 LUFS while its window is not full. */
export async function measureRun(run: MeterRun): Promise<Measured & { undecodedPackets: number }> {
  const { input, inputOptions, options, limits, signal, onProgress } = run;
  const { read, readings } = createBlockReader();
  const outputs = [{ path: '-', options }];
  const { peakLevel: truePeak = -Infinity, undecodedPackets } = await runFfmpeg({
    ...{ input, inputOptions, outputs, limits, signal, onProgress },
    onOutput: read,
  });
  const heard = (blocks: readonly number[]): number[] => blocks.slice(0, -silentBlocks);
  const [momentary, shortTerm] = [heard(readings.momentary), heard(readings.shortTerm)];
  return { momentary, shortTerm, truePeak, undecodedPackets };
}
