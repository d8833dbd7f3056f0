import type { VideoSettings } from '../../../contract/file-settings.ts';
import { type OutputNaming, UnsupportedOutput } from '../../../contract/unsupported-output.ts';
import type { Size } from '../../ffmpeg/size.ts';
import type { PixelWindow } from '../../plan/video-plan.ts';
import { squared } from '../shown-size.ts';
import type { PictureEdit } from './picture-edit.ts';

/** Pixels: the smallest picture with colour has two on each side. */
const leastSide = 2;

function planWindow({ crop: cut = {} }: VideoSettings, naming: OutputNaming, turned: Size): PixelWindow | undefined {
  const { top = 0, right = 0, bottom = 0, left = 0 } = cut;
  if (top + right + bottom + left === 0) return undefined;
  const window = { left, top, width: turned.width - left - right, height: turned.height - top - bottom };
  if (window.width >= leastSide && window.height >= leastSide) return window;
  throw new UnsupportedOutput(
    naming,
    `its crop leaves nothing of the ${turned.width}x${turned.height} pixels of the source`,
  );
}

/**
 * In most films several pixels share their colour, and a cut between them would shift it. An odd cut first gives each
 * pixel its own colour.
 */
function separateColours(pixelFormat: string): string[] {
  const [, full, depth] = /^yuv(j?)4[0-4][0-2]p((?:\d+(?:le|be))?)$/.exec(pixelFormat) ?? [];
  return full === undefined ? [] : [`format=yuv${full}444p${depth}`];
}

export const crop: PictureEdit = {
  plan({ settings, output }, { view }) {
    const window = planWindow(settings, output, view.kept);
    if (window === undefined) return {};
    const kept = { width: window.width, height: window.height };
    return { view: { ...view, window, kept, shown: squared(kept, view.pixelAspect, view.isTurned) } };
  },
  onSource({ view: { window } }, { pixelFormat }) {
    if (window === undefined) return [];
    const { left, top, width, height } = window;
    const isOdd = left % 2 === 1 || top % 2 === 1;
    return [...(isOdd ? separateColours(pixelFormat) : []), `crop=w=${width}:h=${height}:x=${left}:y=${top}:exact=1`];
  },
  obstacleToCopy: ({ view }) => (view.window === undefined ? undefined : 'its pictures are cropped'),
};
