import { signal } from '@preact/signals';
import type { EncodeInput } from '../../contract/workflow/encode.ts';
import { isOutput } from '../words/own-output.ts';
import { ownName } from '../words/preset-words.ts';
import type { PresetView } from './session.ts';

export type OwnOutput = Partial<EncodeInput['outputs'][number]>;

const place = 'holdfast-own-settings';

/** Settings that a person has saved under a name. */
export const ownSettings = signal<readonly PresetView[]>(read());

/** Saves settings in place of those of the same name. */
export function keepOwnSettings(settings: PresetView): void {
  store([...others(settings.name), settings]);
}

export function forgetOwnSettings(name: string): void {
  store(others(name));
}

function others(name: string): PresetView[] {
  return ownSettings.value.filter((settings) => settings.name !== name);
}

function store(list: readonly PresetView[]): void {
  ownSettings.value = list;
  localStorage.setItem(place, JSON.stringify(list));
}

function read(): readonly PresetView[] {
  try {
    const kept = JSON.parse(localStorage.getItem(place) ?? '[]') as Record<string, unknown>[] | Record<string, unknown>;
    // Earlier versions kept one without a name.
    const list = Array.isArray(kept) ? kept : [{ ...kept, name: ownName('Custom settings') }];
    return list.filter(
      (settings): settings is PresetView => typeof settings['name'] === 'string' && isOutput(settings),
    );
  } catch {
    return [];
  }
}
