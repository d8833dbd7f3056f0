import { signal } from '@preact/signals';
import type { RunView } from '../../contract/server/run.ts';
import { call, messageOf } from '../api/call.ts';
import { texts } from '../texts.ts';
import { nameOfSource } from '../words/format.ts';
import { tell } from './notices.ts';
import { type PresetView, session } from './session.ts';
import { showChange } from './runs.ts';

const place = 'holdfast-preset';
const firstPreset = 'podcast-mp3-stereo';

export const presetName = signal(localStorage.getItem(place) ?? firstPreset);

export function choosePreset(name: string): void {
  presetName.value = name;
  localStorage.setItem(place, name);
}

export function chosenPreset(): PresetView | undefined {
  if (session.value.state !== 'ready') return undefined;
  const { presets } = session.value;
  return presets.find(({ name }) => name === presetName.value) ?? presets[0];
}

interface NewRun {
  sourceUrl: string;
  name: string;
  /** Where it is known. */
  bytes?: number;
  preset: PresetView;
  /** A second request with it gives the first one's run. */
  key: string;
}

/** Throws an ApiError. */
export async function sendRun({ sourceUrl, name, bytes, preset, key }: NewRun): Promise<void> {
  const base =
    name
      .replace(/\.[^.]*$/, '')
      .replaceAll(/[/\\\p{Cc}]/gu, '-')
      .slice(0, 120) || 'result';
  const outputs = [
    { preset: preset.name, uploadUrl: `result:${base}.${preset.container}` },
    // Its waveform. A film may have no sound to make one of.
    ...(preset.video ? [] : [{ analysis: 'peaks', zoom: zoomFor(bytes), uploadUrl: `result:${base}.peaks.json` }]),
  ];
  const body = { workflow: 'encode', input: { sourceUrl, outputs } };
  const run = await call<RunView>('POST', '/api/runs', { body, headers: { 'Idempotency-Key': key } });
  showChange({ source: sourceUrl, formats: [preset.name], ...run });
}

/** Samples in each pair of peaks: enough for a wide screen, and of an hour no megabytes. */
function zoomFor(bytes: number | undefined): number {
  return bytes !== undefined && bytes < 4_000_000 ? 256 : 2048;
}

/** What is no address; undefined: all of them are. */
export function findWrongUrl(urls: readonly string[]): string | undefined {
  return urls.find((url) => !URL.canParse(url) || !['https:', 'http:', 's3:', 'file:'].includes(new URL(url).protocol));
}

export async function startUrls(urls: readonly string[], preset: PresetView): Promise<void> {
  for (const sourceUrl of urls) {
    const name = nameOfSource(sourceUrl);
    try {
      await sendRun({ sourceUrl, name, preset, key: crypto.randomUUID() });
      tell('said', texts.start.started(name));
    } catch (error) {
      tell('problem', messageOf(error));
    }
  }
}
