import type { ProbedStream } from './probed.ts';
import type { Size } from './size.ts';

/** Colour description of a file in ffmpeg's names. An undefined field is unspecified. */
export interface ColourTags {
  space: string | undefined;
  primaries: string | undefined;
  transfer: string | undefined;
  /** Present if the source has tags that count as unspecified, because encoders or containers cannot write them. */
  hasUnwritten?: true;
}

/** Most codecs have no code for `reserved`. x264 drops the primaries `ebu3213`, and x265 refuses them. */
const unwritten: ReadonlySet<string> = new Set(['reserved', 'ebu3213']);

export function colourTagsOf(stream: ProbedStream): ColourTags {
  const { color_space: space, color_primaries: primaries, color_transfer: transfer } = stream;
  const written = (tag: string | undefined): string | undefined => (unwritten.has(tag ?? '') ? undefined : tag);
  const hasUnwritten = [space, primaries, transfer].some((tag) => tag !== written(tag));
  return {
    ...{ space: written(space), primaries: written(primaries), transfer: written(transfer) },
    ...(hasUnwritten && { hasUnwritten }),
  };
}

export const hdTelevision: ColourTags = { space: 'bt709', primaries: 'bt709', transfer: 'bt709' };

/** ffmpeg filter that sets this colour description. */
export function tagFilter(tags: ColourTags, isFullRange: boolean): string {
  const { space = 'unknown', primaries = 'unknown', transfer = 'unknown' } = tags;
  const range = isFullRange ? 'pc' : 'tv';
  return `setparams=colorspace=${space}:color_primaries=${primaries}:color_trc=${transfer}:range=${range}`;
}

/** Colour spaces without a code in VP9. The container states them, but ffprobe reports what the codec states. */
const withoutCodeInVp9 = /^(?:bt2020c|chroma-derived-n?c|fcc|ictcp|smpte2085|ycgco)$/;

/** Whether a tag of a finished file is another one than planned. */
export function isChangedTag(codec: string, planned: string | undefined, found: string | undefined): boolean {
  if (planned === undefined || planned === found) return false;
  return found !== undefined || codec !== 'vp9' || !withoutCodeInVp9.test(planned);
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
