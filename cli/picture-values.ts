import { InvalidArgumentError } from 'commander';
import { type Crop, VideoOptions } from '../contract/http/video.ts';
import { parseBy } from './option-values.ts';

/** `top=140,bottom=140` */
export function parseCrop(text: string): Crop {
  const sides = text.split(',').map((part) => /^ *([a-z]+) *= *(\d{1,5}) *$/.exec(part)?.slice(1) ?? []);
  const crop = VideoOptions.shape.crop.safeParse(
    Object.fromEntries(sides.map(([side = '', pixels]) => [side, Number(pixels)])),
  );
  if (crop.success && crop.data !== undefined && new Set(sides.map(([side]) => side)).size === sides.length)
    return crop.data;
  throw new InvalidArgumentError(
    'It must list pixels for top, right, bottom or left, each side once: top=140,bottom=140.',
  );
}

const { level, pad, rotate } = VideoOptions.shape;
export const parseVideoLevel = parseBy(level, 'It must be a level such as 4.1.');
export const parsePad = parseBy(pad, 'It must be black, white or a color such as #1a2b3c.');
export const parseRotation = parseBy(rotate, 'It must be 90, 180 or 270.', Number);
