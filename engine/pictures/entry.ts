import type { PictureSource } from '../source/pictures/picture-source.ts';
import { valueOf } from '../ffmpeg/rational.ts';
import { plannedSeconds, timingStart } from './video-timing.ts';
import type { VideoPlan } from '../plan/video-plan.ts';
import type { PictureEntry } from '../ffmpeg/picture-entry.ts';

/** Formats with an index of their key frames, in which ffmpeg finds one by its time. */
const indexedFormats = /^(?:mov|matroska)/;

/** Groups of pictures between the one that the decoder is let in at and the first picture that is wanted. */
const groupsBefore = 2;

/**
 * What has to be decoded for outputs that have a part of the film (pure). The last key frame before it would do for most films. Where
 * pictures are refreshed piece by piece, x264 calls the beginning of each round a key frame, and the first that is whole came up to one and a half
 * rounds later.
 */
export function planEntry(plans: readonly VideoPlan[], source: PictureSource): PictureEntry {
  const { stamps, keyTicks, startsLate, formatName, frames } = source;
  if (stamps === undefined) return { seekSeconds: undefined, frames: shareOf(plans, source) * frames };
  const tick = valueOf(source.timeBase);
  const from = Math.min(...plans.map(({ timing }) => timingStart(timing))) / tick;
  const to = Math.max(...plans.map(({ timing }) => timingStart(timing) + plannedSeconds(timing))) / tick;
  // The clocks of outputs and source round to their ticks.
  const needed = stamps.filter((stamp) => stamp > from + 1 && stamp < to - 1).length;
  // Where pictures are taken out of rounds of five, these begin with the film.
  const isCounted = plans.some(({ fields }) => fields.kind === 'inverse telecine');
  const isSought = !startsLate && !isCounted && indexedFormats.test(formatName);
  const key = keyTicks.filter((stamp) => stamp <= from).at(-1 - groupsBefore);
  const [first = 0] = keyTicks;
  return { seekSeconds: isSought && key !== undefined && key > first ? key * tick : undefined, frames: needed };
}

/** Without stamps, by the time that outputs take. */
function shareOf(plans: readonly VideoPlan[], { startTicks, endTicks, timeBase }: PictureSource): number {
  const end = Math.max(...plans.map(({ timing }) => timingStart(timing) + plannedSeconds(timing)));
  const seconds = (endTicks - startTicks) * valueOf(timeBase);
  return Math.min(1, (end - startTicks * valueOf(timeBase)) / seconds);
}
