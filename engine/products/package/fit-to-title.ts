import { videoCodecFacts } from '../../../contract/video-codecs.ts';
import type { PictureLimits } from '../../ffmpeg/limits.ts';
import { admitPictures } from '../../pictures/encode-pictures.ts';
import type { PictureSource } from '../../source/pictures/picture-source.ts';
import { modelFor } from '../../pictures/quality/measure-quality.ts';
import { createFilmProber, type FilmProbe } from '../../pictures/quality/probe-film.ts';
import { areFlawless, probeTowards } from '../../pictures/quality/reach-target.ts';
import { mostProbes } from '../../pictures/quality/search-crf.ts';
import type { Work } from '../../work.ts';
import { chooseLadder, ladderTarget } from './choose-ladder.ts';
import { lowestBitrate } from './choose-renditions.ts';
import { nameParts } from './plan-package.ts';
import type { PackagePart, PackagePlan } from './package-plan.ts';
import type { PictureTarget } from '../../pictures/picture-target.ts';

/** Rate factors tried per size; a sixth of x264's scale halves the bits. */
const factorsOfSize = 3;
const stepsOfScale = 8;

/**
 * Cap as a factor of the samples' bits, because other scenes may be harder. Apple recommends a peak of at most twice
 * the average.
 */
const capOfSamples = 2;
/** kbit/s */
const leastCap = 20;

interface SizeTrial extends FilmProbe {
  film: PictureTarget;
}

function isFilm(part: PackagePart): part is PackagePart & Pick<PictureTarget, 'plan'> {
  return part.plan.video !== undefined;
}

/** Chooses renditions by trials on samples of the film. Paths of parts begin with `path`. */
export async function fitToTitle(
  plan: PackagePlan,
  path: string,
  source: PictureSource,
  limits: PictureLimits,
  job: Work,
): Promise<PackagePlan> {
  const films = plan.parts.filter(isFilm).map((part): PictureTarget => ({ ...part, soundPath: undefined }));
  const [largest] = films;
  const scale = largest && videoCodecFacts(largest.plan.video.codec).crf;
  if (largest === undefined || scale === undefined) return plan;
  const { codec, shape } = largest.plan.video;
  admitPictures([largest.plan.video], source, limits);
  const target = { model: modelFor(shape.size), targetVmaf: ladderTarget };
  const trials = await trySizes(films, largest, scale, source, limits, job);
  if (!areTelling(trials, scale.default)) {
    const tried = trials.map((trial) => ({ ...describeTrial(trial), isChosen: false, reason: tellsNothing }));
    return { ...plan, perTitle: { ...target, isReached: false, isTelling: false, tried } };
  }
  const judged = chooseLadder(trials, { lowestBitrate: lowestBitrate(codec), most: films.length });
  const chosen = judged.filter(({ isChosen }) => isChosen).map(({ trial }) => ({ trial, film: fittedFilm(trial) }));
  const sounds = plan.parts.filter((part) => !isFilm(part));
  const parts = [...chosen.map(({ film }) => ({ kind: 'video' as const, plan: film.plan })), ...sounds];
  return {
    ...plan,
    parts: nameParts(parts, path),
    perTitle: {
      ...target,
      isReached: (chosen[0]?.trial.vmaf ?? 0) >= ladderTarget,
      isTelling: true,
      tried: judged.map(({ trial, isChosen, reason }) => ({
        ...{ ...describeTrial(trial), isChosen, reason },
        ...(isChosen && { maxBitrate: fittedFilm(trial).plan.video.maxBitrate }),
      })),
    },
  };
}

const tellsNothing = 'its samples are black, of one colour or still, which tells nothing of the rest of the film';

/** Whether samples represent the film: still pictures take almost no bits at any rate factor. */
const areTelling = (trials: readonly SizeTrial[], usualCrf: number): boolean =>
  !areFlawless(trials, { vmaf: ladderTarget }, usualCrf) && trials.some(({ isStill }) => !isStill);

function describeTrial({ film, crf, bitrate, vmaf }: SizeTrial) {
  return {
    ...film.plan.video.shape.size,
    ...{ crf, bitrate: Math.round(bitrate), vmaf: Number(vmaf.toFixed(2)) },
  };
}

/** Plans the film with the rate factor of the trial, and with a cap by the samples. */
function fittedFilm({ film, crf, peakBitrate }: SizeTrial): PictureTarget {
  const { maxBitrate } = film.plan.video;
  const cap = Math.max(leastCap, Math.ceil(capOfSamples * peakBitrate));
  const video = { ...film.plan.video, crf, maxBitrate: maxBitrate && Math.min(maxBitrate, cap) };
  return { ...film, plan: { ...film.plan, video } };
}

/**
 * Tries the largest size with the requested rate factor, or with the worst that still reaches the target; then each
 * size with that factor and worse ones.
 */
async function trySizes(
  films: readonly PictureTarget[],
  largest: PictureTarget,
  scale: { best: number; worst: number; default: number },
  source: PictureSource,
  limits: PictureLimits,
  job: Work,
): Promise<SizeTrial[]> {
  const probe = createFilmProber(source, limits, job, largest.plan);
  const count = mostProbes + factorsOfSize * films.length;
  const asked = largest.plan.video.crf ?? scale.default;
  const within = { range: { best: asked, worst: scale.worst }, start: asked };
  const found = await probeTowards(probe, largest, { vmaf: ladderTarget }, within, (fraction) =>
    job.advance('measure', (fraction * mostProbes) / count),
  );
  const trials = found.map((tried) => toTrial(largest, tried));
  if (!areTelling(trials, scale.default)) return trials;
  const first = trials.filter(({ vmaf }) => vmaf >= ladderTarget).toSorted((one, other) => other.crf - one.crf)[0];
  const step = Math.round((scale.worst - scale.best) / stepsOfScale);
  for (const [size, film] of films.entries()) {
    for (let index = 0; index < factorsOfSize; index += 1) {
      const crf = Math.min(scale.worst, (first?.crf ?? asked) + index * step);
      if (trials.some((trial) => trial.film === film && trial.crf === crf)) continue;
      const done = mostProbes + size * factorsOfSize + index;
      const tried = await probe(film, crf, (fraction) => job.advance('measure', (done + fraction) / count));
      trials.push(toTrial(film, tried));
    }
  }
  return trials;
}

/** A film keeps its limit on average, but a sample may start with a full buffer. */
function toTrial(film: PictureTarget, { bitrate, ...probe }: FilmProbe): SizeTrial {
  return { ...probe, film, bitrate: Math.min(bitrate, film.plan.video.maxBitrate ?? Infinity) };
}
