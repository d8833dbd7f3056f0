import { drawFilter } from '../../subtitles/draw-filter.ts';
import { withCanvas } from '../subtitle-canvas.ts';
import { appendFilters, type PictureEdit } from './picture-edit.ts';

/** Bytes per pixel of a canvas while it is scaled; measured 34 at 1080p. */
const canvasBytesPerPixel = 40;

/** Draws subtitles over the pictures. `planBurntSubtitles` plans them once the picture size is known. */
export const subtitles: PictureEdit = {
  onFrame(chains, plan, { source, overlays, label }) {
    const drawn = withCanvas(chains, plan, source, overlays.canvas, label);
    // Text is drawn in the output's pixel format. Without `format`, ffmpeg would convert the pictures twice.
    return overlays.script === undefined
      ? drawn
      : appendFilters(drawn, [`format=${plan.pixelFormat}`, drawFilter(overlays.script)]);
  },
  obstacleToCopy: ({ drawnSubtitles }) =>
    drawnSubtitles === undefined ? undefined : 'subtitles are drawn over its pictures',
  memory({ drawnSubtitles: drawn }) {
    const canvas = drawn?.kind === 'pictures' ? drawn.pictures.canvas : undefined;
    return canvas === undefined ? 0 : canvasBytesPerPixel * canvas.width * canvas.height;
  },
};
