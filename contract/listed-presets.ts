import type { PresetsBody } from './http/preset.ts';
import type { Presets } from './presets.ts';
import { redactUrlAndFolder } from './shown-url.ts';

/**
 * All presets by name. Every caller sees them, so a link to a file is shown without its query, which may be a signature,
 * and without its password.
 */
export function listPresets(presets: Presets): PresetsBody {
  return { presets: Object.entries(presets).map(([name, preset]) => ({ name, ...withShownLinks(preset) })) };
}

function withShownLinks(preset: Presets[string]): Presets[string] {
  const { cover, chapters, watermark, subtitles } = preset;
  const links = { cover, chapters, watermark, subtitles };
  return { ...preset, ...(JSON.parse(JSON.stringify(links, shownUrl)) as typeof links) };
}

function shownUrl(name: string, value: unknown): unknown {
  return name === 'url' && typeof value === 'string' ? redactUrlAndFolder(value) : value;
}
