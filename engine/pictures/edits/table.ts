import { crop } from './crop.ts';
import { deinterlace } from './deinterlace.ts';
import { denoise } from './denoise.ts';
import { fade } from './fade.ts';
import { fieldOrder } from './field-order.ts';
import { frameRate } from './frame-rate.ts';
import { pad } from './pad.ts';
import type { PictureEdit } from './picture-edit.ts';
import { rotate } from './rotate.ts';
import { sharpen } from './sharpen.ts';
import { size } from './size.ts';
import { subtitles } from './subtitles.ts';
import { toneMap } from './tone-map.ts';
import { trim } from './trim.ts';
import { watermark } from './watermark.ts';

/** All picture edits, in the order in which they are planned and applied. A new edit is one file and one line here. */
export const pictureEdits: readonly PictureEdit[] = [
  deinterlace,
  denoise,
  frameRate,
  trim,
  rotate,
  crop,
  fieldOrder,
  size,
  toneMap,
  sharpen,
  pad,
  watermark,
  subtitles,
  fade,
];
