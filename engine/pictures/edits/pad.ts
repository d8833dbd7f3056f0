import type { VideoSettings } from '../../../contract/file-settings.ts';
import { type OutputNaming, UnsupportedOutput } from '../../../contract/unsupported-output.ts';
import { type ColourTags, isHighDynamicRange, matrixOf, tagFilter } from '../../ffmpeg/colour-tags.ts';
import type { Size } from '../../ffmpeg/size.ts';
import { type Rational, rationalText } from '../../ffmpeg/rational.ts';
import type { PictureEdit } from './picture-edit.ts';
import type { Rgb } from '../../plan/video-plan.ts';

/** Parses a colour of a request. */
export function parseColour(name: NonNullable<VideoSettings['pad']>): Rgb {
  if (/^black$/i.test(name)) return 0;
  return /^white$/i.test(name) ? 0xffffff : Number.parseInt(name.slice(1), 16);
}

/** The brightness of a colour in HDR is undefined. */
function checkPad(naming: OutputNaming, colour: Rgb | undefined, isHdr: boolean): void {
  if (colour === undefined || colour === 0 || !isHdr) return;
  throw new UnsupportedOutput(naming, '"pad" must be black for pictures that keep their high dynamic range');
}

/** Even, so that pixels that share a colour belong entirely to the picture or to a bar. */
const evenHalf = (side: number): number => 2 * Math.floor(side / 4);

interface Padding {
  size: Size;
  /** Size of the picture inside. */
  picture: Size;
  colour: Rgb;
}

/** Properties of the pictures that get bars. */
export interface Strips {
  tags: ColourTags;
  /** ffmpeg's name. */
  pixelFormat: string;
  isFullRange: boolean;
  /** Frame rate of the film; undefined if it varies. */
  fps: Rational | undefined;
}

/**
 * Filter chains that place the picture from `[picture]` between two bars of a colour. The last chain stays open.
 * ffmpeg's own `pad` knows only the colour matrix of standard definition, and stacked pictures lose their colour tags.
 */
export function padChains(
  { size, picture, colour }: Padding,
  { tags, pixelFormat, isFullRange, fps }: Strips,
  label: string,
): string[][] {
  const isWide = picture.height < size.height;
  const [length, side] = isWide ? [size.height, picture.height] : [size.width, picture.width];
  const before = evenHalf(length - side);
  const strips = [
    { from: 0, to: before },
    { from: before + side, to: length },
  ].filter(({ from, to }) => to > from);
  const sizeOf = (strip: number): string => (isWide ? `${size.width}x${strip}` : `${strip}x${size.height}`);
  const painted = strips.map(({ from, to }, index) => [
    // Stacked pictures have a rate only if all inputs have the same one.
    `color=c=0x${colour.toString(16).padStart(6, '0')}:s=${sizeOf(to - from)}:r=${rationalText(fps ?? { num: 25, den: 1 })}`,
    'trim=end_frame=1',
    'format=gbrp',
    `scale=out_color_matrix=${matrixOf(tags, size)}:out_range=${isFullRange ? 'pc' : 'tv'}`,
    `format=${pixelFormat}[${label}strip${index}]`,
  ]);
  const inputs = [`[${label}picture]`, ...strips.map((_, index) => `[${label}strip${index}]`)];
  const places = [before, ...strips.map(({ from }) => from)].map((place) => (isWide ? `0_${place}` : `${place}_0`));
  return [
    ...painted,
    [`${inputs.join('')}xstack=inputs=${inputs.length}:layout=${places.join('|')}`, tagFilter(tags, isFullRange)],
  ];
}

/** Adds bars of a colour. `planShape` decides their place, and `shapeChains` draws them. */
export const pad: PictureEdit = {
  plan({ output, source }, { shape, toneMap }) {
    checkPad(output, shape.pad, isHighDynamicRange(source) && toneMap === undefined);
    return {};
  },
  obstacleToCopy: ({ shape }) => (shape.pad === undefined ? undefined : 'its pictures are padded'),
};
