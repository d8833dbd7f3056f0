import type { PictureSource } from '../source/pictures/picture-source.ts';
import { valueOf } from '../ffmpeg/rational.ts';
import { plannedSeconds, timingStart } from './video-timing.ts';
import type { VideoPlan } from '../plan/video-plan.ts';
import type { PictureEntry } from '../ffmpeg/picture-entry.ts';

/** Formats with an index of key frames, in which ffmpeg finds them by time. */
export const indexedFormats = /^(?:mov|matroska)/;

/** Groups of pictures between the decoder's entry and the first wanted picture. */
const groupsBefore = 2;

/**
 * What must be decoded for outputs that cover part of the film. The last key frame before the part would usually
 * suffice. With intra refresh, however, x264 marks the start of each cycle as a key frame, and the first complete
 * picture came up to one and a half cycles later.
 */
export function planEntry(plans: readonly VideoPlan[], source: PictureSource): PictureEntry {
  const { stamps, keyTicks, startsLate, formatName, frames } = source;
  if (stamps === undefined) return { seekSeconds: undefined, frames: shareOf(plans, source) * frames };
  const tick = valueOf(source.timeBase);
  const from = Math.min(...plans.map(({ timing }) => timingStart(timing))) / tick;
  const to = endOf(plans) / tick;
  // Clocks of outputs and source are rounded to their ticks.
  const needed = stamps.filter((stamp) => stamp > from + 1 && stamp < to - 1).length;
  // Inverse telecine takes pictures in groups of five that start with the film.
  const isCounted = plans.some(({ fields }) => fields.kind === 'inverse telecine');
  const isSought = !startsLate && !isCounted && indexedFormats.test(formatName);
  const key = keyTicks.filter((stamp) => stamp <= from).at(-1 - groupsBefore);
  const [first = 0] = keyTicks;
  return { seekSeconds: isSought && key !== undefined && key > first ? key * tick : undefined, frames: needed };
}

/** Number of pictures that the decoder yields from its entry to the end of the outputs. */
export function picturesFrom(
  { seekSeconds }: PictureEntry,
  plans: readonly VideoPlan[],
  { stamps = [], timeBase }: PictureSource,
): number {
  const tick = valueOf(timeBase);
  const from = seekSeconds === undefined ? -Infinity : seekSeconds / tick;
  const to = endOf(plans) / tick;
  return stamps.filter((stamp) => stamp > from - 1 && stamp < to - 1).length;
}

const endOf = (plans: readonly VideoPlan[]): number =>
  Math.max(...plans.map(({ timing }) => timingStart(timing) + plannedSeconds(timing)));

/** Estimates by duration if there are no timestamps. */
function shareOf(plans: readonly VideoPlan[], { startTicks, endTicks, timeBase }: PictureSource): number {
  const end = endOf(plans);
  const seconds = (endTicks - startTicks) * valueOf(timeBase);
  return Math.min(1, (end - startTicks * valueOf(timeBase)) / seconds);
}
