import type { Size } from './size.ts';

/** Colour description of a file in ffmpeg's names. An undefined field is unspecified. */
export interface ColourTags {
  space: string | undefined;
  primaries: string | undefined;
  transfer: string | undefined;
}

export const hdTelevision: ColourTags = { space: 'bt709', primaries: 'bt709', transfer: 'bt709' };

/** ffmpeg filter that sets this colour description. */
export function tagFilter(tags: ColourTags, isFullRange: boolean): string {
  const { space = 'unknown', primaries = 'unknown', transfer = 'unknown' } = tags;
  const range = isFullRange ? 'pc' : 'tv';
  return `setparams=colorspace=${space}:color_primaries=${primaries}:color_trc=${transfer}:range=${range}`;
}

/** swscale's names for ffmpeg's colour spaces. */
const matrices: Readonly<Record<string, string>> = {
  bt2020nc: 'bt2020',
  bt2020c: 'bt2020',
  bt470bg: 'bt601',
  smpte170m: 'bt601',
  bt709: 'bt709',
  fcc: 'fcc',
  smpte240m: 'smpte240m',
};

/** Colour matrix of the pictures. For unspecified colours, players choose it by picture size. */
export function matrixOf({ space }: ColourTags, { height }: Size): string {
  const named = matrices[space ?? ''];
  return named ?? (height > 576 ? 'bt709' : 'bt601');
}

/** Transfer characteristics of high dynamic range, by ffmpeg's names. */
export const hdrNames: Readonly<Record<string, string>> = { smpte2084: 'PQ, as of HDR10', 'arib-std-b67': 'HLG' };

export function isHighDynamicRange({ colour }: { colour: ColourTags }): boolean {
  return hdrNames[colour.transfer ?? ''] !== undefined;
}
