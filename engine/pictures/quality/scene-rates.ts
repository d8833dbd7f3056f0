import { videoCodecFacts } from '../../../contract/video-codecs.ts';
import { withEncodeShare } from '../../encode-share.ts';
import type { PictureLimits } from '../../ffmpeg/limits.ts';
import type { PictureSource } from '../../source/pictures/picture-source.ts';
import type { Work } from '../../work.ts';
import type { PictureTarget } from '../picture-target.ts';
import { plannedFrames, plannedSeconds } from '../video-timing.ts';
import { chooseSceneCrfs, type ProbedScene } from './choose-scene-crfs.ts';
import { findScenes, type Scene } from './find-scenes.ts';
import { createFilmProber } from './probe-film.ts';
import { partOf } from './samples.ts';

/** Share of the search for scenes in the time of the search for their rate factors. */
const findingShare = 0.2;

/** Longest sample of a scene: with two probes, samples take less than half of the time of the encode. */
const sampleSeconds = 1;

/** Most steps between the rate factor of a scene and that of the film: neighbours must not look too different. */
const mostSteps = 3;

/**
 * Chooses a rate factor for each scene of a film with a quality target per scene. Returns every other film unchanged.
 * `range` has the pictures of a segment; its scenes are counted from its first picture.
 */
export async function withSceneRates(
  source: PictureSource,
  film: PictureTarget,
  limits: PictureLimits,
  work: Work,
  range?: Scene,
): Promise<PictureTarget> {
  const { checks, video } = film.plan;
  const { timing, crf } = video;
  const { crf: scale } = videoCodecFacts(video.codec);
  const { target } = checks;
  if (target?.per !== 'scene' || crf === undefined || scale === undefined) return film;
  const { from, to } = range ?? { from: 0, to: plannedFrames(timing) };
  const part = { ...film, plan: { ...film.plan, video: { ...video, timing: partOf(timing, from, to - from) } } };
  const found = await findScenes(source, part, limits, withEncodeShare(work, 0, findingShare));
  const picturesASecond = plannedFrames(timing) / plannedSeconds(timing);
  const length = Math.max(1, Math.round(sampleSeconds * picturesASecond));
  const allowed = { best: Math.max(scale.best, crf - mostSteps), worst: Math.min(scale.worst, crf + mostSteps) };
  const probed: ProbedScene[] = [];
  for (const [index, scene] of found.entries()) {
    work.advance('encode', findingShare + ((1 - findingShare) * index) / found.length);
    const count = Math.min(length, scene.to - scene.from);
    const first = from + scene.from + Math.floor((scene.to - scene.from - count) / 2);
    const probe = createFilmProber(source, limits, work, undefined, [partOf(timing, first, count)]);
    const probes = [];
    for (const tried of [allowed.best, allowed.worst]) probes.push(await probe(film, tried, () => {}));
    probed.push({ frames: scene.to - scene.from, probes });
  }
  const crfs = chooseSceneCrfs(probed, crf, allowed);
  const scenes = found.map((scene, index) => ({ ...scene, crf: crfs[index] ?? crf }));
  return { ...film, plan: { ...film.plan, video: { ...video, scenes } } };
}
