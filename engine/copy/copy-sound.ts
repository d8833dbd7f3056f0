import type { AudioCodec } from '../../contract/audio-codecs.ts';
import { decodeGuards } from '../ffmpeg/guards.ts';
import { movedClock } from '../ffmpeg/moved-clock.ts';
import { runFfmpeg } from '../ffmpeg/run.ts';
import type { Work } from '../work.ts';
import type { RunLimits } from '../ffmpeg/limits.ts';
import { earlySoundSeconds } from '../source/early-sound.ts';
import { type PacketTimes, readPacketTimes } from './stream-times.ts';

export interface SoundCopy {
  input: string;
  /** ffprobe's name of the container format. */
  formatName: string;
  track: number;
  /** Start of the output on the source's clock. */
  startSeconds: number;
  path: string;
  codec: AudioCodec;
  /** Maximum in kbit/s. */
  bitrate: number | undefined;
  /** True if the container can mark part of the sound as not heard. */
  hidesSound: boolean;
}

/** Result of copying sound: the reason why it cannot be used, or its length. */
export type CopiedSound = { problem: string } | { seconds: number; packets: number };

/** Largest difference between sound and pictures. */
const toleranceSeconds = 0.001;

/** Encoders' averages are only near the requested bitrate. */
export const bitrateTolerance = 1.1;

/** Copies the packets of a track to a file, on the output's clock, and compares the times of all packets. */
export async function copySound(
  { input, formatName, track, startSeconds, path, codec, bitrate, hidesSound }: SoundCopy,
  limits: RunLimits,
  { signal }: Pick<Work, 'signal'>,
): Promise<CopiedSound> {
  const source = await readPacketTimes(input, track, signal);
  const seconds = source.end - source.shownStart;
  if (bitrate !== undefined && (source.bytes * 8) / 1000 / seconds > bitrate * bitrateTolerance) {
    return { problem: `the source's sound has more than ${bitrate} kbit/s` };
  }
  // Sound that precedes the pictures by more than an encoder's delay would be heard before them.
  if (!hidesSound && source.shownStart - (source.starts[0] ?? NaN) > earlySoundSeconds) {
    return { problem: 'the source hides the beginning of its sound by an edit list' };
  }
  const options = ['-map', `0:a:${track}`, '-map_metadata', '-1', '-map_chapters', '-1', '-c:a', 'copy'];
  await runFfmpeg({
    input,
    inputOptions: [...decodeGuards, ...movedClock(startSeconds, formatName)],
    outputs: [{ path, options: [...options, ...fileOptions(codec)] }],
    ...{ limits, signal },
  });
  const copied = await readPacketTimes(path, 0, signal);
  const isSame = codec === 'pcm' ? areSameSamples(source, copied) : source.starts.length === copied.starts.length;
  const places = codec === 'pcm' ? [source.starts[0] ?? NaN] : source.starts;
  const isInPlace = places.every(
    (start, index) => Math.abs((copied.starts[index] ?? NaN) - (start - startSeconds)) <= toleranceSeconds,
  );
  if (!isSame || !isInPlace)
    return { problem: 'the copied packets of sound, or their times, are not those of the source' };
  return { seconds, packets: copied.starts.length };
}

/** Each container divides uncompressed samples into other packets. */
function areSameSamples(source: PacketTimes, copied: PacketTimes): boolean {
  const [own, other] = [source.end - (source.starts[0] ?? NaN), copied.end - (copied.starts[0] ?? NaN)];
  return source.bytes === copied.bytes && Math.abs(own - other) <= toleranceSeconds;
}

/** Formats whose clock is exact to the sample, also before 0, through an edit list. */
function fileOptions(codec: AudioCodec): string[] {
  // ffmpeg marks FLAC in MP4 as experimental.
  const options = ['-movie_timescale', '48000', '-strict', 'experimental'];
  return [...options, '-f', codec === 'pcm' ? 'mov' : 'mp4'];
}
