import { type AudioCodec, probedNames } from '../../contract/audio-codecs.ts';
import type { AudioSettings, FileSettings } from '../../contract/file-settings.ts';
import type { AudioSource } from './source.ts';
import type { PictureSource } from './pictures/picture-source.ts';
import { valueOf } from '../ffmpeg/rational.ts';

/** Seconds by which sound may start before the pictures; encoder delays look the same. */
export const earlySoundSeconds = 0.05;

export const copiedSoundCodec = (
  { copied }: AudioSettings,
  { codec, isDecoded }: AudioSource,
): AudioCodec | undefined =>
  isDecoded === true ? undefined : copied?.codecs.find((name) => probedNames(name).includes(codec));

/** Seconds by which a track's sound starts before the pictures. */
export function earlySeconds({ startTicks, timeBase, soundStarts }: PictureSource, { track }: AudioSource): number {
  const start = startTicks * valueOf(timeBase);
  return start - Math.min(start, soundStarts[track] ?? start);
}

/** True if sound that accompanies copied pictures, now or possibly, is cut at their start, by sample. */
export function cutsEarlySound(
  { video, audio, loudness }: Pick<FileSettings, 'video' | 'audio' | 'loudness'>,
  pictures: PictureSource | undefined,
  track: AudioSource,
): boolean {
  if (video?.copiedCodecs === undefined || audio === undefined || pictures === undefined) return false;
  const early = earlySeconds(pictures, track);
  const { copied, channels, sampleRate, samples } = audio;
  const conditions = [loudness, copied?.mostBitrate, channels, sampleRate, samples];
  const isCopied = copiedSoundCodec(audio, track) !== undefined && conditions.every((one) => one === undefined);
  return early > 0 && early <= earlySoundSeconds && !isCopied;
}
