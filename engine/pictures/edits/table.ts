import { crop } from './crop.ts';
import { deinterlace } from './deinterlace.ts';
import { fade } from './fade.ts';
import { frameRate } from './frame-rate.ts';
import { pad } from './pad.ts';
import type { PictureEdit } from './picture-edit.ts';
import { rotate } from './rotate.ts';
import { size } from './size.ts';
import { subtitles } from './subtitles.ts';
import { toneMap } from './tone-map.ts';
import { trim } from './trim.ts';
import { watermark } from './watermark.ts';

/** Every edit of pictures, in the order in which edits are planned and applied. A new edit is a file and a line here. */
export const pictureEdits: readonly PictureEdit[] = [
  deinterlace,
  frameRate,
  trim,
  rotate,
  crop,
  size,
  toneMap,
  pad,
  watermark,
  subtitles,
  fade,
];
