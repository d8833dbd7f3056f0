import type { VideoSettings } from '../../../contract/file-settings.ts';
import { padChains, parseColour, type Strips } from './pad.ts';
import { keepsShape } from '../kept-pictures.ts';
import type { PictureEdit } from './picture-edit.ts';
import type { Size } from '../../ffmpeg/size.ts';
import type { PictureShape } from '../../plan/video-plan.ts';

/** Pictures with shared colour need even sides. */
const even = (side: number): number => Math.max(2, 2 * Math.round(side / 2));
const evenAtLeast = (side: number, least: number): number => Math.max(least, 2 * Math.ceil(side / 2 - 1e-6));

/** Rounding makes no side longer than it is or than requested. */
const within = (side: number, is: number, most = Infinity): number =>
  side > Math.min(is, most) ? Math.max(2, side - 2) : side;

function scaleBy({ width, height }: Size, factor: number): Size {
  return { width: even(width * factor), height: even(height * factor) };
}

function cover({ width, height }: Size, box: Size): Size {
  const factor = Math.max(box.width / width, box.height / height);
  return { width: evenAtLeast(width * factor, box.width), height: evenAtLeast(height * factor, box.height) };
}

/** Largest size that fits inside the box. */
function inside({ width, height }: Size, box: Size): { fits: Size; isFull: boolean } {
  const near = scaleBy({ width, height }, Math.min(box.width / width, box.height / height));
  const fits = { width: Math.min(near.width, box.width), height: Math.min(near.height, box.height) };
  return { fits, isFull: fits.width === box.width && fits.height === box.height };
}

/**
 * `contain` never enlarges a picture, except with `pad`; the other modes fill width and height. `shown` has square
 * pixels.
 */
export function planShape(
  { width, height, fit, pad }: Pick<VideoSettings, 'width' | 'height' | 'fit'> & Partial<Pick<VideoSettings, 'pad'>>,
  shown: Size,
): PictureShape {
  const isOpen = width === undefined || height === undefined;
  if (isOpen || (fit === 'contain' && pad === undefined)) {
    const factor = Math.min(1, (width ?? Infinity) / shown.width, (height ?? Infinity) / shown.height);
    const near = scaleBy(shown, factor);
    const size = {
      width: within(near.width, shown.width, width),
      height: within(near.height, shown.height, height),
    };
    return { size, scaled: size };
  }
  const box = { width: even(width), height: even(height) };
  switch (fit) {
    case 'contain': {
      const { fits, isFull } = inside(shown, box);
      return { size: box, scaled: fits, ...(!isFull && { pad: parseColour(pad ?? 'black') }) };
    }
    case 'stretch':
      return { size: box, scaled: box };
    case 'cover':
      return { size: box, scaled: cover(shown, box) };
    case 'blur': {
      const { fits, isFull } = inside(shown, box);
      return { size: box, scaled: fits, ...(!isFull && { background: cover(shown, box) }) };
    }
  }
}

const scale = ({ width, height }: Size, colour = ''): string =>
  `scale=w=${width}:h=${height}:flags=lanczos+accurate_rnd+full_chroma_int${colour}`;

const crop = ({ width, height }: Size): string => `crop=w=${width}:h=${height}`;

/** A blur of 20 pixels at 1080 lines, limited to what the filter accepts for small pictures. */
const blur = ({ width, height }: Size): string => `boxblur=lr=${Math.max(1, Math.round(Math.min(width, height) / 54))}`;

interface ShapeOptions {
  /** Filters directly after the scaler, because the output is usually smaller than the source. */
  scaled?: readonly string[];
  strips?: Strips;
}

/** Filter chains from a source picture to the frame of an output. The last chain stays open. */
export function shapeChains(
  { size: frame, scaled, background, pad }: PictureShape,
  colour: string,
  label: string,
  { scaled: after = [], strips }: ShapeOptions = {},
): string[][] {
  const isCut = scaled.width > frame.width || scaled.height > frame.height;
  const picture = [scale(scaled, colour), ...(isCut ? [crop(frame)] : []), ...after];
  if (pad !== undefined && strips !== undefined) {
    return [
      [...picture, `format=${strips.pixelFormat}[${label}picture]`],
      ...padChains({ size: frame, picture: scaled, colour: pad }, strips, label),
    ];
  }
  if (background === undefined) return [picture];
  // Filters follow the first scaler, which has converted the colours already.
  const left = after.length === 0 ? colour : '';
  return [
    [...(after.length === 0 ? [] : picture), `split=2[${label}back][${label}front]`],
    [`[${label}back]${scale(background, left)}`, crop(frame), `${blur(frame)}[${label}blurred]`],
    [`[${label}front]${scale(scaled, left)}[${label}scaled]`],
    [`[${label}blurred][${label}scaled]overlay=x=(W-w)/2:y=(H-h)/2:format=auto`],
  ];
}

/** Scales the picture and fits it into width and height. `shapeChains` has its filters. */
export const size: PictureEdit = {
  plan({ settings }, { view }) {
    if (keepsShape(settings)) return { shape: { size: view.kept, scaled: view.kept }, pixelAspect: view.pixelAspect };
    return { shape: planShape(settings, view.shown), pixelAspect: { num: 1, den: 1 } };
  },
  obstacleToCopy({ shape: { size: planned, scaled } }, { source: { coded, pixelAspect } }) {
    if (pixelAspect.num !== pixelAspect.den) return "the source's pixels are not square";
    if (planned.width !== coded.width || planned.height !== coded.height) {
      return `the source's pictures have ${coded.width}x${coded.height} pixels`;
    }
    const isFull = scaled.width === planned.width && scaled.height === planned.height;
    return isFull ? undefined : 'its pictures are cropped or padded';
  },
};
