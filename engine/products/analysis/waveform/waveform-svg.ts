import { readFile, writeFile } from 'node:fs/promises';
import type { Color, WaveformSettings } from '../../../../contract/analysis-settings.ts';
import { invalidAnalysis } from '../invalid-analysis.ts';
import type { WaveformBand } from './lay-out-waveform.ts';

/** A hundredth of a pixel is invisible. */
const digits = 2;

/** Colour attributes, formatted from numbers so that no text of the request enters the file. */
function fillOf([red, green, blue, alpha]: Color): string {
  const hex = [red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('');
  return `fill="#${hex}"${alpha === 255 ? '' : ` fill-opacity="${(alpha / 255).toFixed(3)}"`}`;
}

/** Outline along the tops from left to right and back along the bottoms. Neighbours of one height share a step. */
function outlineOf({ tops, bottoms }: WaveformBand): string {
  const text = (place: number): string => String(Number(place.toFixed(digits)));
  const width = tops.length;
  const steps = [`M0 ${text(tops[0] ?? 0)}`];
  for (let column = 1; column <= width; column += 1) {
    const [before, here] = [text(tops[column - 1] ?? 0), text(tops[column] ?? 0)];
    if (column === width) steps.push(`H${column}V${text(bottoms[column - 1] ?? 0)}`);
    else if (here !== before) steps.push(`H${column}V${here}`);
  }
  for (let column = width - 1; column >= 0; column -= 1) {
    const [before, here] = [text(bottoms[column - 1] ?? 0), text(bottoms[column] ?? 0)];
    if (column === 0) steps.push('H0Z');
    else if (before !== here) steps.push(`H${column}V${before}`);
  }
  return steps.join('');
}

export async function writeWaveformSvg(
  path: string,
  bands: readonly WaveformBand[],
  { width, height, colors }: WaveformSettings,
): Promise<void> {
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none"`;
  const outline = bands.map(outlineOf).join('');
  const picture = [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size}>`,
    ...(colors.background[3] === 0 ? [] : [`<rect width="${width}" height="${height}" ${fillOf(colors.background)}/>`]),
    `<path d="${outline}" ${fillOf(colors.waveform)}/>`,
    '</svg>\n',
  ].join('');
  await writeFile(path, picture, { flag: 'wx' });
  if ((await readFile(path, 'utf8')) !== picture) throw invalidAnalysis('waveform');
}
