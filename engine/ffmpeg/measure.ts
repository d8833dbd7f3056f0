import { gapFilter, timeStampFilter, type SourceTime } from './gap-filter.ts';
import { decodeGuards, joinedPartGuards } from './guards.ts';
import { runFfmpeg, type FfmpegRun } from './run.ts';

interface MeasureOptions extends Pick<FfmpegRun, 'limits' | 'signal' | 'onProgress'> {
  /** Place among the audio streams. Default: the first. */
  track?: number;
  /** Timing of a source as it is encoded. Default: its timestamps are correct. */
  sourceTime?: SourceTime;
  /** ffmpeg's demuxer name, if the file is a part of another one (`subfileUrl`). */
  partDemuxer?: string;
}

/** Hz. Any rate would do; at this one, a millisecond is a whole number of samples. */
const measuringRate = 48_000;

/** Keeps one channel. ffmpeg cannot mix more than eight channels if it does not know their speakers. */
const oneChannel = 'pan=mono|c0=c0';

function createDiscardedOutput(filters: readonly string[], track: number): { path: string; options: string[] } {
  const filter = ['-af', [...filters, oneChannel].join(',')];
  const format = ['-ar', String(measuringRate), '-c:a', 'pcm_s16le', '-f', 'null'];
  return { path: '-', options: ['-map', `0:a:${track}`, ...filter, ...format] };
}

async function measure(
  path: string,
  /** Filters of each output. */
  outputs: string[][],
  options: MeasureOptions,
): Promise<{ seconds: number[]; mendedSamples: number }> {
  const { track = 0 } = options;
  const { encodedSamples, mendedSamples } = await runFfmpeg({
    input: path,
    inputOptions: options.partDemuxer === undefined ? decodeGuards : joinedPartGuards(options.partDemuxer),
    outputs: outputs.map((filters) => createDiscardedOutput(filters, track)),
    limits: options.limits,
    signal: options.signal,
    onProgress: (progress) => options.onProgress?.(progress),
  });
  const seconds = outputs.map((_, index) => (encodedSamples.get(index) ?? 0) / measuringRate);
  return { seconds, mendedSamples };
}

/**
 * Seconds of sound after decoding a file to its end. Headers are estimates, and packets include an encoder's delay and
 * padding. Only decoding is exact. It takes about a hundredth of the media's duration.
 */
export async function measureSeconds(path: string, options: MeasureOptions): Promise<number> {
  const { sourceTime } = options;
  const filter = sourceTime === undefined ? timeStampFilter() : gapFilter(sourceTime);
  const { seconds } = await measure(path, [[filter]], options);
  return seconds[0] ?? 0;
}

/**
 * Duration by a source's timestamps, and the audible seconds within it; the rest are gaps. If more is audible than the
 * timestamps cover, they are wrong. `mendedSeconds` counts the silence of all gaps, and all overlaps.
 */
export async function measureWithHoles(
  path: string,
  options: MeasureOptions,
): Promise<{ seconds: number; soundSeconds: number; mendedSeconds: number }> {
  const { sampleRate = measuringRate } = options.sourceTime ?? {};
  const measured = await measure(path, [[timeStampFilter({ ...options.sourceTime, sampleRate })], []], options);
  const [seconds = 0, soundSeconds = 0] = measured.seconds;
  return { seconds, soundSeconds, mendedSeconds: measured.mendedSamples / sampleRate };
}
