import type { JobContext } from '../../jobs/job.ts';
import { withEncodeShare } from '../encode-share.ts';
import type { PictureLimits } from '../limits.ts';
import { type EncodedPictures, encodePictures, type PictureTarget } from './encode-pictures.ts';
import type { PictureSource } from './picture-source.ts';
import { isMeasured } from './quality/measurable.ts';
import { measureQuality } from './quality/measure-quality.ts';

/** Of the time of a film; libvmaf takes about as much for a picture as x264 at `medium`. */
const measureShare = 0.45;

/** Encodes the pictures of all outputs, then measures those of which it is asked how good they are, one after the other. */
export async function makeFilms(
  source: PictureSource,
  targets: readonly PictureTarget[],
  limits: PictureLimits,
  job: JobContext,
): Promise<EncodedPictures[]> {
  const measured = targets.filter(({ plan }) => isMeasured(plan.checks)).length;
  const encodeEnd = 1 - (measureShare * measured) / targets.length;
  const films = await encodePictures(source, targets, limits, withEncodeShare(job, 0, encodeEnd));
  let done = 0;
  for (const [index, film] of films.entries()) {
    const target = targets[index];
    if (target === undefined || !isMeasured(target.plan.checks)) continue;
    const from = encodeEnd + ((1 - encodeEnd) * done) / measured;
    const share = withEncodeShare(job, from, from + (1 - encodeEnd) / measured);
    film.quality = await measureQuality(source, target, film.frames, {
      ...{ limits, signal: job.signal },
      onFraction: (fraction) => share.advance('encode', fraction),
    });
    done += 1;
  }
  return films;
}
