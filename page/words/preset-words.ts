import { texts } from '../texts.ts';

/** Begins the internal names of saved settings. Names of presets have no spaces. */
const ownPrefix = 'own ';

export function ownName(title: string): string {
  return ownPrefix + title;
}

export function isOwn(name: string): boolean {
  return name.startsWith(ownPrefix);
}

export function presetTitle(name: string): string {
  return texts.presets[name] ?? (isOwn(name) ? name.slice(ownPrefix.length) : name);
}

export function channelWords(channels: number): string {
  if (channels > 2) return texts.sound.channels(channels);
  return channels === 1 ? texts.sound.mono : texts.sound.stereo;
}
