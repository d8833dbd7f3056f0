import type { Probed, ProbedStream } from './probed.ts';

/**
 * Streams that start this close together count as simultaneous: the difference cannot be perceived, and encoder delays
 * look the same.
 */
const togetherSeconds = 0.05;

export const isTogether = (one: number, other: number): boolean => Math.abs(one - other) <= togetherSeconds;

/**
 * Seconds by which the audio starts after the first audio or video stream of its file. That much silence must precede
 * it to keep both in sync. If it is the only stream, the file starts with it, whatever its timestamps are.
 */
export function leadSeconds(probed: Probed, audio: ProbedStream): number {
  const streams = probed.streams.filter(
    ({ codec_type, disposition }) => /^(?:audio|video)$/.test(codec_type) && disposition.attached_pic === 0,
  );
  const start = audio.start_time ?? 0;
  const seconds = start - Math.min(start, ...streams.map((stream) => stream.start_time ?? start));
  return seconds > togetherSeconds ? seconds : 0;
}

/** Start of a file on its own clock. A recording that was cut from a longer one need not start at zero. */
export function timelineStart({ format: { start_time: start = 0 } }: Probed): number {
  return start > togetherSeconds ? start : 0;
}
