import type { Size } from './size.ts';

/** What a file says of its colours, by ffmpeg's names. Undefined: it does not say. */
export interface ColourTags {
  space: string | undefined;
  primaries: string | undefined;
  transfer: string | undefined;
}

export const hdTelevision: ColourTags = { space: 'bt709', primaries: 'bt709', transfer: 'bt709' };

/** The filter that says so of pictures (pure). */
export function tagFilter(tags: ColourTags, isFullRange: boolean): string {
  const { space = 'unknown', primaries = 'unknown', transfer = 'unknown' } = tags;
  const range = isFullRange ? 'pc' : 'tv';
  return `setparams=colorspace=${space}:color_primaries=${primaries}:color_trc=${transfer}:range=${range}`;
}

/** What swscale calls the colours that ffmpeg names so. */
const matrices: Readonly<Record<string, string>> = {
  bt2020nc: 'bt2020',
  bt2020c: 'bt2020',
  bt470bg: 'bt601',
  smpte170m: 'bt601',
  bt709: 'bt709',
  fcc: 'fcc',
  smpte240m: 'smpte240m',
};

/** For the colours of the pictures; players take those that nobody names by their size. */
export function matrixOf({ space }: ColourTags, { height }: Size): string {
  const named = matrices[space ?? ''];
  return named ?? (height > 576 ? 'bt709' : 'bt601');
}

/** Transfer characteristics of high dynamic range, by ffmpeg's names. */
export const hdrNames: Readonly<Record<string, string>> = { smpte2084: 'PQ, as of HDR10', 'arib-std-b67': 'HLG' };

export function isHighDynamicRange({ colour }: { colour: ColourTags }): boolean {
  return hdrNames[colour.transfer ?? ''] !== undefined;
}
