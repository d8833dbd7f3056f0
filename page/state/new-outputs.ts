import type { EncodeInput } from '../../contract/workflow/encode.ts';
import { ownName } from '../words/preset-words.ts';
import type { OwnOutput } from './own-settings.ts';
import type { PresetView } from './session.ts';

type Outputs = EncodeInput['outputs'];

/** The requested output of a file, and the images and analyses that the page shows of it. */
export function newOutputs(preset: PresetView, name: string, bytes: number | undefined): Outputs {
  const base =
    name
      .replace(/\.[^.]*$/, '')
      .replaceAll(/[/\\\p{Cc}]/gu, '-')
      .slice(0, 120) || 'result';
  const isPackage = preset.package !== undefined;
  const place = isPackage
    ? { uploadUrlPrefix: `result:${base}/` }
    : { uploadUrl: `result:${base}.${preset.container}` };
  const { name: presetName, ...settings } = preset;
  const wanted = presetName === ownName ? (settings as OwnOutput) : { preset: presetName };
  const hasPictures = isPackage ? preset.video !== false : Boolean(preset.video);
  return [{ ...wanted, ...place }, ...(hasPictures ? imagesOf(base) : picturesOfSound(base, bytes))];
}

function imagesOf(base: string): Outputs {
  return [
    { image: 'poster', width: 1280, uploadUrl: `result:${base}.poster.jpg` },
    { image: 'storyboard', uploadUrlPrefix: `result:${base}.storyboard/` },
  ];
}

function picturesOfSound(base: string, bytes: number | undefined): Outputs {
  return [
    { analysis: 'peaks', zoom: zoomFor(bytes), uploadUrl: `result:${base}.peaks.json` },
    { image: 'spectrogram', width: 1800, height: 400, uploadUrl: `result:${base}.spectrogram.png` },
  ];
}

/** Samples per pair of peaks: enough detail for a wide screen, and still a small file for an hour. */
function zoomFor(bytes: number | undefined): number {
  return bytes !== undefined && bytes < 4_000_000 ? 256 : 2048;
}
