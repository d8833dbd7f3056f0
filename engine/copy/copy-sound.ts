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
  /** ffprobe's name of the container format */
  formatName: string;
  track: number;
  /** where the output begins on the clock of the source */
  startSeconds: number;
  path: string;
  codec: AudioCodec;
  /** kbit/s, at most */
  bitrate: number | undefined;
  /** The container can say that a part of the sound is not heard. */
  hidesSound: boolean;
}

/** Of sound that was copied: a reason why it cannot be taken, or its seconds. */
export type CopiedSound = { problem: string } | { seconds: number; packets: number };

/** Sound and pictures are in step to this. */
const toleranceSeconds = 0.001;

/** Averages of encoders are near what was asked for. */
const bitrateTolerance = 1.1;

/** Copies the packets of a track into a file of its own, on the clock of the output, and compares the times of all of them. */
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
  // More than the delay of an encoder: it would be heard before the pictures.
  if (!hidesSound && source.shownStart - (source.starts[0] ?? NaN) > earlySoundSeconds) {
    return { problem: 'the source hides the beginning of its sound by an edit list' };
  }
  const options = ['-map', `0:a:${track}`, '-map_metadata', '-1', '-map_chapters', '-1', '-c:a', 'copy'];
  await runFfmpeg({
    input,
    inputOptions: [...decodeGuards, ...movedClock(startSeconds, formatName)],
    outputs: [{ path, options: [...options, ...fileOptions(codec)] }],
    ...{ limits, signal, onProgress: () => {} },
  });
  const copied = await readPacketTimes(path, 0, signal);
  const isSame = codec === 'pcm' ? areSameSamples(source, copied) : source.starts.length === copied.starts.length;
  const places = codec === 'pcm' ? [source.starts[0] ?? NaN] : source.starts;
  const isInPlace = places.every(
    (start, index) => Math.abs((copied.starts[index] ?? NaN) - (start - startSeconds)) <= toleranceSeconds,
  );
  if (!isSame || !isInPlace) return { problem: 'copied packets of the sound do not come out in their places' };
  return { seconds, packets: copied.starts.length };
}

/** Samples that are not compressed lie in other packets in each container. */
function areSameSamples(source: PacketTimes, copied: PacketTimes): boolean {
  const [own, other] = [source.end - (source.starts[0] ?? NaN), copied.end - (copied.starts[0] ?? NaN)];
  return source.bytes === copied.bytes && Math.abs(own - other) <= toleranceSeconds;
}

/** Every codec in a file that has its clock to the sample, before 0 too: by an edit list. */
function fileOptions(codec: AudioCodec): string[] {
  // FLAC is marked as an experiment there.
  const options = ['-movie_timescale', '48000', '-strict', 'experimental'];
  return [...options, '-f', codec === 'pcm' ? 'mov' : 'mp4'];
}
