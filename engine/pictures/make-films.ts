import { videoCodecFacts } from '../../contract/video-codecs.ts';
import type { Work } from '../work.ts';
import { withEncodeShare } from '../encode-share.ts';
import type { PictureLimits } from '../ffmpeg/limits.ts';
import { type EncodedPictures, encodePictures, type PictureEncoder } from './encode-pictures.ts';
import type { PictureSource } from '../source/pictures/picture-source.ts';
import { isMeasured } from './quality/measurable.ts';
import { measureQuality } from './quality/measure-quality.ts';
import { createFilmProber } from './quality/probe-film.ts';
import { areFlawless, probeTowards } from './quality/reach-target.ts';
import { chooseCrf, marginOf } from './quality/search-crf.ts';
import type { PictureTarget } from './picture-target.ts';

/** Share of a film's time. libvmaf takes about as much per picture as x264 at `medium`. */
const measureShare = 0.4;
const searchShare = 0.2;

/** Divides a range of the progress into equal consecutive parts. */
function inTurn<Item>(items: readonly Item[], from: number, to: number): { item: Item; from: number; to: number }[] {
  const each = (to - from) / Math.max(1, items.length);
  return items.map((item, index) => ({ item, from: from + index * each, to: from + (index + 1) * each }));
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
  encode: PictureEncoder = encodePictures,
): Promise<EncodedPictures[]> {
  const settled = [...targets];
  const searched = targets.filter(({ plan }) => plan.checks.target !== undefined);
  const searchEnd = (searchShare * searched.length) / targets.length;
  for (const { item, from, to } of inTurn(searched, 0, searchEnd)) {
    const { plan } = item;
    const { target } = plan.checks;
    const { crf: range } = videoCodecFacts(plan.video.codec);
    if (target === undefined || range === undefined) continue;
    const share = withEncodeShare(job, from, to);
    const within = { range, start: plan.video.crf ?? range.default };
    const probes = await probeTowards(createFilmProber(source, limits, share), item, target, within, (fraction) =>
      share.advance('encode', fraction),
    );
    const crf = areFlawless(probes, target, range.default) ? within.start : chooseCrf(probes, target)?.crf;
    settled[targets.indexOf(item)] = { ...item, plan: { ...plan, video: { ...plan.video, crf } } };
  }
  const measured = settled.filter(({ plan }) => isMeasured(plan.checks));
  const encodeEnd = 1 - (measureShare * measured.length) / targets.length;
  const films = await encode(source, settled, limits, withEncodeShare(job, searchEnd, encodeEnd));
  for (const { item, from, to } of inTurn(measured, encodeEnd, 1)) {
    const film = films[settled.indexOf(item)];
    if (film === undefined) continue;
    const share = withEncodeShare(job, from, to);
    const { quality } = await measureQuality(source, item, film.frames, {
      ...{ limits, signal: job.signal },
      onFraction: (fraction) => share.advance('encode', fraction),
    });
    film.quality = quality;
    const { target } = item.plan.checks;
    const { crf } = item.plan.video;
    if (target === undefined || crf === undefined) continue;
    const { mean, percentile1 } = quality.vmaf;
    film.target = { crf, isReached: marginOf({ vmaf: mean, percentile1 }, target) >= 0 };
  }
  return films;
}
