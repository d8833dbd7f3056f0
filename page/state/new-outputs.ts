import type { EncodeInput } from '../../contract/workflow/encode.ts';
import { type Extras, fittingExtras } from '../words/extras.ts';
import { outputOf } from '../words/own-output.ts';
import { hasPictures } from '../words/preset-groups.ts';
import { isOwn } from '../words/preset-words.ts';
import type { PresetView } from './session.ts';

type Outputs = EncodeInput['outputs'];
type Trim = Outputs[number]['trim'];

/** Limit of the server. */
export const mostOutputs = 8;

/** What a person wants of some sources. */
export interface Wanted {
  presets: readonly PresetView[];
  extras: Extras;
}

export interface Choice extends Wanted {
  /** Part of the idempotency keys, so that a repeated request starts no second run. */
  id: string;
}

/** The input of a run, without its source. */
export function newInput(
  wanted: Wanted,
  name: string,
  bytes: number | undefined,
): Pick<EncodeInput, 'outputs' | 'transcript'> {
  const outputs = newOutputs(wanted, name, bytes);
  if (outputs.every(({ captions }) => captions === undefined)) return { outputs };
  return { outputs, transcript: { uploadUrlPrefix: `result:${baseOf(name)}.transcript/` } };
}

/** The outputs of a source, and the images and analyses that the page shows of it. */
export function newOutputs({ presets, extras }: Wanted, name: string, bytes: number | undefined): Outputs {
  const base = baseOf(name);
  const taken = new Set<string>();
  const outputs = presets.map((preset) => {
    const wanted = isOwn(preset.name) ? outputOf(preset) : { preset: preset.name };
    return { ...wanted, ...fittingExtras(preset, extras), ...placeOf(preset, base, taken) };
  });
  const trim = extras.trim ?? presets[0]?.trim;
  const pictures = [
    ...(presets.some(hasPictures) ? imagesOf(base, trim) : []),
    ...(presets.every(hasPictures) ? [] : picturesOfSound(base, bytes, trim)),
  ];
  return [...outputs, ...pictures.slice(0, mostOutputs - outputs.length)];
}

function baseOf(name: string): string {
  return (
    name
      .replace(/\.[^.]*$/, '')
      .replaceAll(/[/\\\p{Cc}]/gu, '-')
      .slice(0, 120) || 'result'
  );
}

/** The file of the first result has the source's name; others of the same kind add that of their preset. */
function placeOf({ name, container, package: kinds }: PresetView, base: string, taken: Set<string>) {
  const ending = kinds === undefined ? `.${container}` : '/';
  const label = name.replaceAll(/[/\\\p{Cc}]/gu, '-');
  const place = `result:${taken.has(ending) ? `${base}.${label}` : base}${ending}`;
  taken.add(ending);
  return kinds === undefined ? { uploadUrl: place } : { uploadUrlPrefix: place };
}

/** A storyboard shows the whole film, so a trimmed one has none. */
function imagesOf(base: string, trim: Trim): Outputs {
  return [
    { image: 'poster', width: 1280, uploadUrl: `result:${base}.poster.jpg` },
    ...(trim === undefined ? [{ image: 'storyboard' as const, uploadUrlPrefix: `result:${base}.storyboard/` }] : []),
  ];
}

function picturesOfSound(base: string, bytes: number | undefined, trim: Trim): Outputs {
  return [
    { analysis: 'peaks', zoom: zoomFor(bytes), trim, uploadUrl: `result:${base}.peaks.json` },
    { image: 'spectrogram', width: 1800, height: 400, trim, uploadUrl: `result:${base}.spectrogram.png` },
  ];
}

/** Samples per pair of peaks: enough detail for a wide screen, and still a small file for an hour. */
function zoomFor(bytes: number | undefined): number {
  return bytes !== undefined && bytes < 4_000_000 ? 256 : 2048;
}
