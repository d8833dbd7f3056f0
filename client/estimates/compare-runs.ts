import { isDeepStrictEqual } from 'node:util';
import type { SourceFacts } from '../../contract/http/encode.ts';
import type { EstimatedOutput, EstimatedSource } from '../../contract/server/estimate.ts';
import { sortFields } from '../../contract/sort-fields.ts';

/** Two films are of one kind if their pixels per second differ by less than this factor. */
const mostPixelFactor = 1.25;

/** Facts that decide whether a run is of the same kind as another. */
export interface ComparedRun {
  /** Kind of each output. */
  kinds: readonly string[];
  source: SourceFacts;
  /** True if the outputs have pictures from the source; a waveform has none. */
  hasPictures: boolean;
}

/** Text that is equal for outputs with the same settings, whichever part of the source they have. */
export function kindOf(output: EstimatedOutput): string {
  return JSON.stringify({ ...output, trim: undefined }, sortFields);
}

/** True if a past run had outputs of these kinds, and a source of the same kind. */
export function isLike(run: ComparedRun, kinds: readonly string[], source: EstimatedSource): boolean {
  const isSameWork = isDeepStrictEqual(run.kinds.toSorted(), kinds.toSorted());
  return isSameWork && (run.hasPictures ? hasLikePictures(run.source, source) : hasLikeSound(run.source, source));
}

function hasLikeSound(past: SourceFacts, { channels, sampleRate }: EstimatedSource): boolean {
  return (
    (channels === undefined || channels === past.channels) &&
    (sampleRate === undefined || sampleRate === past.sampleRate)
  );
}

function hasLikePictures({ pictures }: SourceFacts, { width, height, fps }: EstimatedSource): boolean {
  if (width === undefined || height === undefined) return true;
  if (pictures === undefined) return false;
  const rate = fps === undefined ? 1 : fps / pictures.fps;
  const factor = (rate * width * height) / (pictures.width * pictures.height);
  return factor < mostPixelFactor && factor > 1 / mostPixelFactor;
}
