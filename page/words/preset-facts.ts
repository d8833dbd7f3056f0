import { chooserTexts } from '../chooser-texts.ts';
import type { PresetView } from '../state/session.ts';
import { texts } from '../texts.ts';
import { channelWords, presetTitle } from './preset-words.ts';

/** The page's text, or the preset's own description. */
export function presetMeaning({ name, description }: PresetView): string | undefined {
  return chooserTexts.meanings[name] ?? description;
}

/** `MP3 · 128 kbit/s · stereo` */
export function presetFacts({ container, package: kinds = [], audio, video }: PresetView): string {
  const picture = video ? [video.codec?.toUpperCase(), video.height && `${video.height} px`] : [];
  // The first audio track represents all.
  const [track] = audio ? [audio].flat() : [];
  const sound = track
    ? [
        track.codec?.toUpperCase(),
        track.bitrate && texts.sound.kbit(track.bitrate),
        track.bitDepth && `${track.bitDepth} bit`,
        track.channels && channelWords(track.channels),
      ]
    : [];
  const facts = [...picture, ...sound];
  const known = facts.filter((fact): fact is string => typeof fact === 'string' && fact !== '');
  return [...new Set([container?.toUpperCase() ?? kinds.join(' + ').toUpperCase(), ...known])].join(' · ');
}

/** What tells a preset from those beside it, in one word: `1080`, `9:16`, `HLS`, `MP3` */
export function presetBadge({ container = '', package: kinds, video }: PresetView): string {
  if (kinds !== undefined) return (kinds[0] ?? '').toUpperCase();
  if (!video) return container.toUpperCase();
  const { width, height, codec = '', fit } = video;
  if ((fit === 'cover' || fit === 'blur') && width !== undefined && height !== undefined) return ratioOf(width, height);
  // A preset for the web gives both sides the same limit; its pictures are wide.
  const lines = width === height && width !== undefined ? Math.round((width * 9) / 16) : height;
  return lines === undefined ? codec.toUpperCase() : String(lines);
}

function ratioOf(width: number, height: number): string {
  const divisor = (one: number, other: number): number => (other === 0 ? one : divisor(other, one % other));
  const common = divisor(width, height);
  return `${width / common}:${height / common}`;
}

/** True if each word of a search occurs in a preset's texts. */
export function fitsSearch(preset: PresetView, words: string): boolean {
  const text = [preset.name, presetTitle(preset.name), presetMeaning(preset), presetFacts(preset)]
    .join(' ')
    .toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
