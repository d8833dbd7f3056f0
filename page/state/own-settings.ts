import { signal } from '@preact/signals';
import type { EncodeInput } from '../../contract/workflow/encode.ts';
import { isOutput } from '../words/own-output.ts';

export type OwnOutput = Partial<EncodeInput['outputs'][number]>;

const place = 'holdfast-own-settings';

/** Custom settings of an output; undefined if none are saved. */
export const ownSettings = signal<OwnOutput | undefined>(read());

export function keepOwnSettings(settings: OwnOutput): void {
  ownSettings.value = settings;
  localStorage.setItem(place, JSON.stringify(settings));
}

function read(): OwnOutput | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(place) ?? '') as Record<string, unknown>;
    return isOutput(kept) ? kept : undefined;
  } catch {
    return undefined;
  }
}
