import type { PresetView } from '../state/session.ts';
import { texts } from '../texts.ts';

/** Internal name of the custom settings. Presets' names have no spaces. */
export const ownName = 'own settings';

export function presetTitle(name: string): string {
  return texts.presets[name]?.[0] ?? (name === ownName ? texts.start.own : name);
}

/** The page's text, or the preset's own description. */
export function presetMeaning({ name, description }: PresetView): string | undefined {
  return texts.presets[name]?.[1] ?? description;
}

/** `MP3 · 128 kbit/s · stereo · 44.1 kHz` */
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

export function channelWords(channels: number): string {
  if (channels > 2) return texts.sound.channels(channels);
  return channels === 1 ? texts.sound.mono : texts.sound.stereo;
}
