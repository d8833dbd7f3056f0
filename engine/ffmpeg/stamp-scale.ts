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

/** ffmpeg lets FLAC in Ogg begin at 0. Beside other streams, only later timestamps keep both in sync. */
export function hiddenStart(
  { format, streams }: Probed,
  { index: own, codec_name: codec }: ProbedStream,
): Pick<SourceTime, 'hidesStart'> {
  const isAlone = streams.every(({ index, disposition }) => index === own || disposition.attached_pic === 1);
  return format.format_name === 'ogg' && codec === 'flac' && isAlone ? { hidesStart: true } : {};
}
