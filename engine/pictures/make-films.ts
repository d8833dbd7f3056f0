import type { ReachedTarget } from '../../contract/http/quality.ts';
import type { Work } from '../work.ts';
import { withEncodeShare } from '../encode-share.ts';
import type { PictureLimits } from '../ffmpeg/limits.ts';
import { type EncodedPictures, encodePictures, type PictureEncoder } from './encode-pictures.ts';
import type { PictureSource } from '../source/pictures/picture-source.ts';
import { isMeasured } from './quality/measurable.ts';
import { measureQuality, measureShare } from './quality/measure-quality.ts';
import { findCrf, withCrf } from './quality/find-crf.ts';
import { withSceneRates } from './quality/scene-rates.ts';
import { marginOf } from './quality/search-crf.ts';
import type { PictureTarget } from './picture-target.ts';

/** Share of a film's time. */
const searchShare = 0.2;

/** Divides a range of the progress into equal consecutive parts. */
function inTurn<Item>(items: readonly Item[], from: number, to: number): { item: Item; from: number; to: number }[] {
  const each = (to - from) / Math.max(1, items.length);
  return items.map((item, index) => ({ item, from: from + index * each, to: from + (index + 1) * each }));
}

export interface FilmMaking {
  /** Makes the pictures of films in another way than by encoding them. */
  encodePictures?: PictureEncoder | undefined;
  /** Rate factor that was found for a film's quality target; undefined: it is searched. */
  crfOf?: ((film: PictureTarget) => number | undefined) | undefined;
}

/**
 * Finds the rate factors of outputs with a quality target, encodes the pictures of all outputs, and then measures the
 * requested qualities, one output after the other.
 */
export async function makeFilms(
  source: PictureSource,
  targets: readonly PictureTarget[],
  limits: PictureLimits,
  job: Work,
  { encodePictures: encode = encodePictures, crfOf }: FilmMaking = {},
): Promise<EncodedPictures[]> {
  const settled = targets.map((film) => withCrf(film, crfOf?.(film)));
  const searched = settled.filter((film) => film.plan.checks.target !== undefined && crfOf?.(film) === undefined);
  const searchEnd = (searchShare * searched.length) / targets.length;
  for (const { item, from, to } of inTurn(searched, 0, searchEnd)) {
    const isPerScene = item.plan.checks.target?.per === 'scene';
    const middle = isPerScene ? (from + to) / 2 : to;
    const crf = await findCrf(source, item, limits, withEncodeShare(job, from, middle));
    const found = withCrf(item, crf);
    settled[settled.indexOf(item)] = await withSceneRates(source, found, limits, withEncodeShare(job, middle, to));
  }
  const measured = settled.filter(({ plan }) => isMeasured(plan.checks));
  const encodeEnd = 1 - (measureShare * measured.length) / targets.length;
  const films = await encode(source, settled, limits, withEncodeShare(job, searchEnd, encodeEnd));
  for (const { item, from, to } of inTurn(measured, encodeEnd, 1)) {
    const film = films[settled.indexOf(item)];
    if (film === undefined) continue;
    const share = withEncodeShare(job, from, to);
    // The segments of a spread film are measured where they are encoded.
    film.quality ??= (
      await measureQuality(source, item, film.frames, {
        ...{ limits, signal: job.signal },
        onFraction: (fraction) => share.advance('encode', fraction),
      })
    ).quality;
    const { target } = item.plan.checks;
    const { crf } = item.plan.video;
    if (target === undefined || crf === undefined) continue;
    const { mean, percentile1 } = film.quality.vmaf;
    const sceneCrfs = film.sceneCrfs ?? item.plan.video.scenes?.map((scene) => scene.crf);
    film.target = {
      ...{ crf, isReached: marginOf({ vmaf: mean, percentile1 }, target) >= 0 },
      ...(sceneCrfs !== undefined && { scenes: describeScenes(sceneCrfs) }),
    };
  }
  return films;
}

function describeScenes(crfs: readonly number[]): ReachedTarget['scenes'] {
  const rounded = (crf: number): number => Number(crf.toFixed(1));
  return { count: crfs.length, leastCrf: rounded(Math.min(...crfs)), greatestCrf: rounded(Math.max(...crfs)) };
}
