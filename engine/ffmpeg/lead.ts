import type { Probed, ProbedStream } from './probed.ts';

/** Streams that begin this close together begin together: it cannot be seen or heard, and encoders' delays look the same. */
const togetherSeconds = 0.05;

/**
 * Seconds by which the audio begins later than the first audio or video stream of its file. So much silence has to go before it
 * for both to stay in step. Where it is the only one, the file begins with it, whatever its time stamps say (pure).
 */
export function leadSeconds(probed: Probed, audio: ProbedStream): number {
  const streams = probed.streams.filter(
    ({ codec_type, disposition }) => /^(?:audio|video)$/.test(codec_type) && disposition.attached_pic === 0,
  );
  const start = audio.start_time ?? 0;
  const seconds = start - Math.min(start, ...streams.map((stream) => stream.start_time ?? start));
  return seconds > togetherSeconds ? seconds : 0;
}

/** Where on its own clock a file begins: a recording that was cut out of a longer one need not begin at zero (pure). */
export function timelineStart({ format: { start_time: start = 0 } }: Probed): number {
  return start > togetherSeconds ? start : 0;
}
