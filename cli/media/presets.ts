import { Help } from 'commander';
import { z } from 'zod';
import type { Preset } from '../../contract/http/preset.ts';
import type { Presets } from '../../contract/presets.ts';
import { PresetsSetting } from '../../process/presets-setting.ts';
import { parseSettings } from '../../process/settings.ts';
import { printable } from '../text/printable.ts';

/** Built-in presets and those of PRESETS_FILE, which the container should share. */
export function readPresets(presetsFile: string | undefined): Presets {
  return parseSettings(z.object({ PRESETS_FILE: PresetsSetting }), { PRESETS_FILE: presetsFile }).PRESETS_FILE;
}

export const presetColumns = ['preset', 'container', 'audio', 'other settings', 'use'] as const;

/** Cells in the order of `presetColumns`. */
export function presetRow(name: string, { description = '', container, audio, ...besides }: Preset): string[] {
  const sound = [audio || []].flat().map(describeAudio).join('; ');
  return [name, container ?? 'package', sound, printable(describeFields(besides)), printable(description)];
}

/** Presets with their use and settings, for a terminal of this width. */
export function formatPresets(presets: readonly (readonly [string, Preset])[], width: number): string {
  const room = Math.max(20, width - detailIndent.length);
  return presets
    .map(([name, preset]) => {
      const [title, container, sound, fields, use] = presetRow(name, preset);
      const settings = [container, sound, fields?.replaceAll(',"', ', "')].filter((part) => part !== '');
      const details = new Help().boxWrap(`${use}\n${settings.join(' · ')}`, room);
      return [title, ...details.split('\n').map((line) => detailIndent + line)].join('\n');
    })
    .join('\n\n');
}

const detailIndent = '  ';

const units: Record<string, (value: unknown) => string> = {
  codec: String,
  bitrate: (value) => `${String(value)} kbit/s`,
  channels: (value) => (value === 1 ? 'mono' : value === 2 ? 'stereo' : `${String(value)} channels`),
  sampleRate: (value) => `${String(value)} Hz`,
  bitDepth: (value) => `${String(value)} bits`,
};

function describeAudio(audio: object): string {
  const parts = Object.entries(audio).map(([field, value]) => units[field]?.(value) ?? `${field} ${String(value)}`);
  return parts.join(', ');
}

function describeFields(fields: object): string {
  return Object.entries(fields)
    .map(([field, value]) => `${field} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join(', ');
}
