import { videoCodecFacts } from '../../../contract/video-codecs.ts';
import type { PictureLimits } from '../../ffmpeg/limits.ts';
import type { PictureSource } from '../../source/pictures/picture-source.ts';
import type { Work } from '../../work.ts';
import type { PictureTarget } from '../picture-target.ts';
import { createFilmProber } from './probe-film.ts';
import { areFlawless, probeTowards } from './reach-target.ts';
import { chooseCrf } from './search-crf.ts';

/** Finds from samples the rate factor with which a film reaches its quality target; undefined if it has no target. */
export async function findCrf(
  source: PictureSource,
  film: PictureTarget,
  limits: PictureLimits,
  work: Work,
): Promise<number | undefined> {
  const { checks, video } = film.plan;
  const { target } = checks;
  const { crf: range } = videoCodecFacts(video.codec);
  if (target === undefined || range === undefined) return undefined;
  const start = video.crf ?? range.default;
  const prober = createFilmProber(source, limits, work);
  const probes = await probeTowards(prober, film, target, { range, start }, (fraction) =>
    work.advance('encode', fraction),
  );
  return areFlawless(probes, target, range.default) ? start : chooseCrf(probes, target)?.crf;
}

/** The film, to be encoded at a rate factor. */
export function withCrf(film: PictureTarget, crf: number | undefined): PictureTarget {
  if (crf === undefined) return film;
  const { plan } = film;
  return { ...film, plan: { ...plan, video: { ...plan.video, crf } } };
}
