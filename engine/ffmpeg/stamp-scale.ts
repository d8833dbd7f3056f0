import type { SourceTime } from './gap-filter.ts';
import type { Probed, ProbedStream } from './probed.ts';
import { parseRational } from './rational.ts';

/**
 * FLAC counts samples. If the header is missing, ffmpeg takes the numbers of samples for ticks of another clock
 * (90 kHz), so that its timestamps advance too slowly.
 */
export function stampScaleOf(
  { format }: Probed,
  { time_base: timeBase, sample_rate: sampleRate = 0 }: ProbedStream,
): Pick<SourceTime, 'stampScale'> {
  const tick = parseRational(timeBase);
  if (format.format_name !== 'flac' || tick === undefined || sampleRate === 0) return {};
  const stampScale = tick.den / (tick.num * sampleRate);
  return stampScale === 1 ? {} : { stampScale };
}
