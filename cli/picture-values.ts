import { InvalidArgumentError } from 'commander';
import { type Crop, VideoOptions } from '../contract/http/video.ts';

/** `top=140,bottom=140` */
export function parseCrop(text: string): Crop {
  const sides = text.split(',').map((part) => /^ *([a-z]+) *= *(\d{1,5}) *$/.exec(part)?.slice(1) ?? []);
  const crop = VideoOptions.shape.crop.safeParse(
    Object.fromEntries(sides.map(([side = '', pixels]) => [side, Number(pixels)])),
  );
  if (crop.success && crop.data !== undefined && new Set(sides.map(([side]) => side)).size === sides.length)
    return crop.data;
  throw new InvalidArgumentError(
    'It must name sides with the pixels to cut off, top, right, bottom and left, each once: top=140,bottom=140.',
  );
}

export function parseVideoLevel(text: string): string {
  const level = VideoOptions.shape.level.safeParse(text);
  if (level.success && level.data !== undefined) return level.data;
  throw new InvalidArgumentError('It must be a level such as 4.1.');
}

export function parsePad(text: string): string {
  const pad = VideoOptions.shape.pad.safeParse(text);
  if (pad.success && pad.data !== undefined) return pad.data;
  throw new InvalidArgumentError('It must be black, white or a color such as #1a2b3c.');
}

export function parseRotation(text: string): number {
  const rotation = VideoOptions.shape.rotate.safeParse(Number(text));
  if (rotation.success && rotation.data !== undefined) return rotation.data;
  throw new InvalidArgumentError('It must be 90, 180 or 270.');
}
