import { indexRanges } from '../../../contract/index-ranges.ts';
import type { PictureShape } from '../../plan/video-plan.ts';
import { entryFilters, repeatedFilters, statedTags } from '../../pictures/picture-filters.ts';
import type { PictureSource } from '../../source/pictures/picture-source.ts';
import { onStoredLines, parityOf, planFields } from '../../pictures/edits/deinterlace.ts';
import { gridFilters } from '../../pictures/edits/frame-rate.ts';
import { valueOf } from '../../ffmpeg/rational.ts';
import type { GrabRun } from './grab-plan.ts';
import { imageChains, joinChains } from './image-filters.ts';
import type { ImageLook } from './image-look.ts';

/**
 * Filter that selects the pictures. A run that seeks selects by exact timestamp, because it may enter after them. A run
 * from the start takes the first picture decoded from there, so that the next one replaces a damaged picture.
 */
function selection({ numbers, entrySeconds }: GrabRun, { stamps }: PictureSource): string {
  const terms = indexRanges(numbers).map(({ first, last }) => {
    if (stamps === undefined) return `between(n\\,${first}\\,${last})`;
    const [from, to] = [stamps[first] ?? 0, stamps[last] ?? 0];
    return first === last && entrySeconds === undefined
      ? `gte(pts\\,${from})*not(gte(prev_selected_pts\\,${from}))`
      : `between(pts\\,${from}\\,${to})`;
  });
  return `select=${terms.join('+')}`;
}

/**
 * Filters for interlaced pictures. Key frames lack the neighbours that motion detection needs, so each field is
 * interpolated from itself.
 */
export function deinterlacing(film: PictureSource, isOfKeysOnly: boolean): string[] {
  const plan = planFields('auto', film);
  if (plan.kind === 'none') return [];
  const filter = isOfKeysOnly ? 'estdif=mode=frame' : 'bwdif=mode=send_frame';
  const options = plan.kind === 'flagged' ? 'deint=interlaced' : `parity=${parityOf(plan.order)}:deint=all`;
  return onStoredLines([`${filter}:${options}`], film);
}

/** Filters of a run (pure); its output is labelled `[grabbed]`. */
export function grabGraph(film: PictureSource, run: GrabRun, shape: PictureShape, look: ImageLook): string {
  const { stamps, startTicks, timeBase, constantRate } = film;
  // Without timestamps, pictures are counted on the film's grid, from the first that can be decoded.
  const isCounted = stamps === undefined && constantRate !== undefined;
  const entry = isCounted ? entryFilters(film) : [];
  const grid = isCounted ? gridFilters(film, constantRate, startTicks * valueOf(timeBase)) : [];
  const head = [
    ...entry,
    ...statedTags(film),
    ...repeatedFilters(film),
    ...deinterlacing(film, run.isOfKeysOnly),
    ...grid,
    // Deinterlacers use half ticks.
    `settb=${timeBase.num}/${timeBase.den}`,
    selection(run, film),
    'setpts=PTS-STARTPTS',
  ];
  return `${joinChains(`[0:${film.index}]`, head, imageChains(film, shape, look, 'image'))}[grabbed]`;
}
