import type { PictureSource } from './picture-source.ts';
import { valueOf } from '../ffmpeg/rational.ts';
import { plannedSeconds, timingStart } from './video-timing.ts';
import type { VideoPlan } from './video-plan.ts';

/** Formats with an index of their key frames, in which ffmpeg finds one by its time. */
const indexedFormats = /^(?:mov|matroska)/;

/** Where the decoder begins, and what has to come out of it. */
export interface PictureEntry {
  /** Of the source's clock, where a key frame is. Undefined: at the beginning. */
  seekSeconds: number | undefined;
  /** Pictures that outputs are made of. */
  frames: number;
}

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

/** ffmpeg's options of the source (pure). Times stay those of the source, which the plan is made of. */
export function entryOptions({ seekSeconds }: PictureEntry): string[] {
  if (seekSeconds === undefined) return ['-copyts'];
  return ['-copyts', '-seek_timestamp', '1', '-noaccurate_seek', '-ss', seekSeconds.toFixed(6)];
}
