import type { PictureShape } from '../../plan/video-plan.ts';
import { repeatedFilters } from '../../pictures/picture-filters.ts';
import type { PictureSource } from '../../source/pictures/picture-source.ts';
import { parityOf, planFields } from '../../pictures/edits/deinterlace.ts';
import type { GrabRun } from './grab-plan.ts';
import { imageChains, joinChains } from './image-filters.ts';
import type { ImageLook } from './image-look.ts';

/**
 * Which pictures go on. In a run that enters the file, those with the very stamps: it may have come in behind them. From the
 * beginning on, the first that could be decoded from there, so that a damaged picture is made up for by the next.
 */
function selection({ numbers, entrySeconds }: GrabRun, { stamps }: PictureSource): string {
  const terms = rangesOf(numbers).map(({ first, last }) => {
    if (stamps === undefined) return `between(n\\,${first}\\,${last})`;
    const [from, to] = [stamps[first] ?? 0, stamps[last] ?? 0];
    return first === last && entrySeconds === undefined
      ? `gte(pts\\,${from})*not(gte(prev_selected_pts\\,${from}))`
      : `between(pts\\,${from}\\,${to})`;
  });
  return `select=${terms.join('+')}`;
}

interface PictureRange {
  first: number;
  last: number;
}

/** Neighbours together. */
function rangesOf(numbers: readonly number[]): PictureRange[] {
  const ranges: PictureRange[] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range?.last === number - 1) range.last = number;
    else ranges.push({ first: number, last: number });
  }
  return ranges;
}

/** Filters of interlaced pictures. Without neighbours no filter can detect motion, so that each field is filled from itself. */
export function deinterlacing(film: PictureSource, isOfKeysOnly: boolean): string[] {
  const plan = planFields('auto', film);
  if (plan.kind === 'none') return [];
  const filter = isOfKeysOnly ? 'estdif=mode=frame' : 'bwdif=mode=send_frame';
  return [
    plan.kind === 'flagged' ? `${filter}:deint=interlaced` : `${filter}:parity=${parityOf(plan.order)}:deint=all`,
  ];
}

/** Filters of a run (pure); `[grabbed]` outputs the pictures as they are written. */
export function grabGraph(film: PictureSource, run: GrabRun, shape: PictureShape, look: ImageLook): string {
  const { num, den } = film.timeBase;
  // Where the file does not stamp its pictures, they are counted from the first that can be decoded.
  const entry = film.stamps === undefined && film.startsLate ? [`trim=start_pts=${film.startTicks}`] : [];
  const head = [
    ...entry,
    ...repeatedFilters(film),
    ...deinterlacing(film, run.isOfKeysOnly),
    // Deinterlacers count in halves of a tick.
    `settb=${num}/${den}`,
    selection(run, film),
    'setpts=PTS-STARTPTS',
  ];
  return `${joinChains(`[0:${film.index}]`, head, imageChains(film, shape, look, 'image'))}[grabbed]`;
}
