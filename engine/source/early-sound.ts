import { type AudioCodec, audioCodecFacts } from '../../contract/audio-codecs.ts';
import type { AudioSettings, FileSettings } from '../../contract/file-settings.ts';
import type { AudioSource } from './source.ts';
import type { PictureSource } from './pictures/picture-source.ts';
import { valueOf } from '../ffmpeg/rational.ts';

/** Sound that begins up to this before the pictures: encoders' delays look the same. */
export const earlySoundSeconds = 0.05;

export const copiedSoundCodec = ({ copied }: AudioSettings, { codec }: AudioSource): AudioCodec | undefined =>
  copied?.codecs.find((name) => probedNames(name).includes(codec));

export function probedNames(codec: AudioCodec): string[] {
  const { encoding } = audioCodecFacts(codec);
  return 'encoder' in encoding ? [encoding.probedName] : Object.values(encoding).map(({ probedName }) => probedName);
}

/** By how much the sound of a track begins before the pictures. */
export function earlySeconds({ startTicks, timeBase, soundStarts }: PictureSource, { track }: AudioSource): number {
  const start = startTicks * valueOf(timeBase);
  return start - Math.min(start, soundStarts[track] ?? start);
}

/** Whether sound that is encoded beside copied pictures, or may be, is cut at their beginning, by its samples (pure). */
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
