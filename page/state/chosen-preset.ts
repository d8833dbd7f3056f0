import { signal } from '@preact/signals';
import { ownName } from '../words/preset-words.ts';
import { ownSettings } from './own-settings.ts';
import { type PresetView, session } from './session.ts';

const place = 'holdfast-preset';
const firstPreset = 'podcast-mp3-stereo';

const presetName = signal(localStorage.getItem(place) ?? firstPreset);

export function choosePreset(name: string): void {
  presetName.value = name;
  localStorage.setItem(place, name);
}

export function chosenPreset(): PresetView | undefined {
  if (session.value.state !== 'ready') return undefined;
  const { presets } = session.value;
  if (presetName.value === ownName && ownSettings.value !== undefined) {
    return { ...(ownSettings.value as Partial<PresetView>), name: ownName };
  }
  return presets.find(({ name }) => name === presetName.value) ?? presets[0];
}
