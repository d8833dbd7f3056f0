import type { VideoSettings } from '../../contract/file-settings.ts';
import { type OutputNaming, UnsupportedOutput } from '../../contract/unsupported-output.ts';
import { type ColourTags, matrixOf, tagFilter } from '../ffmpeg/colour-tags.ts';
import type { Size } from '../ffmpeg/size.ts';
import { type Rational, rationalText } from '../ffmpeg/rational.ts';
import type { Rgb } from '../plan/video-plan.ts';

/** What a request calls a colour (pure). */
export function parseColour(name: NonNullable<VideoSettings['pad']>): Rgb {
  if (/^black$/i.test(name)) return 0;
  return /^white$/i.test(name) ? 0xffffff : Number.parseInt(name.slice(1), 16);
}

/** Throws where a colour would have to be as bright as nobody can say (pure). */
export function checkPad(naming: OutputNaming, colour: Rgb | undefined, isHighDynamicRange: boolean): void {
  if (colour === undefined || colour === 0 || !isHighDynamicRange) return;
  throw new UnsupportedOutput(naming, 'a "pad" beside pictures that keep their high dynamic range is black');
}

/** Even, so that pixels that share their colour are all of the picture, or all of a strip. */
const evenHalf = (side: number): number => 2 * Math.floor(side / 4);

interface Padding {
  size: Size;
  /** of the picture in it */
  picture: Size;
  colour: Rgb;
}

/** What the pictures are that strips are put beside. */
export interface Strips {
  tags: ColourTags;
  /** ffmpeg's name */
  pixelFormat: string;
  isFullRange: boolean;
  /** of the film; undefined: it varies */
  fps: Rational | undefined;
}

/**
 * Chains of filters that put the picture from `[picture]` between two strips of a colour (pure); what comes out goes on in the last.
 * ffmpeg's own `pad` knows colours by the older television's matrix alone, and stacked pictures lose what is said of their colours.
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
    // Stacked pictures have a rate where all have the same.
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
