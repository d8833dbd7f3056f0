import { rm } from 'node:fs/promises';
import type { PictureLimits } from '../ffmpeg/limits.ts';
import { keepSamples } from './fragments.ts';
import { MalformedFile } from '../formats/malformed-file.ts';
import { MediaError } from '../media-error.ts';
import { admitPictures, encodePictures } from '../pictures/encode-pictures.ts';
import type { PictureTarget } from '../pictures/picture-target.ts';
import type { PictureSource } from '../source/pictures/picture-source.ts';
import { withEncodeShare } from '../encode-share.ts';
import { isMeasured } from '../pictures/quality/measurable.ts';
import { measureShare, scorePictures } from '../pictures/quality/measure-quality.ts';
import { withSceneRates } from '../pictures/quality/scene-rates.ts';
import type { SceneRate } from '../plan/video-plan.ts';
import type { Work } from '../work.ts';
import { partOfTiming, planWindow, type SegmentRange, type SegmentWindow } from './plan-spread.ts';
import { appendSceneCrfs, appendScores, type SegmentScores } from './segment-scores.ts';

/** The pictures of one film in one segment: a fragmented MP4 without sound. */
export interface SegmentFile {
  path: string;
  frames: number;
}

/** Share of the search for scenes and their rate factors in the time of a segment. */
const searchShare = 0.2;

/**
 * Encodes one segment of all films with one decode. The encoders also get pictures before and after it, so that the
 * segment has the pictures of a single encoder; these are dropped here.
 */
export async function encodeSegment(
  source: PictureSource,
  planned: readonly PictureTarget[],
  range: SegmentRange,
  limits: PictureLimits,
  work: Work,
): Promise<SegmentFile[]> {
  admitPictures(
    planned.map(({ plan }) => plan.video),
    source,
    limits,
  );
  const films: PictureTarget[] = [];
  const searchEnd = planned.some(({ plan }) => plan.checks.target?.per === 'scene') ? searchShare : 0;
  for (const [index, film] of planned.entries()) {
    const shareOf = (films: number): number => (searchEnd * films) / planned.length;
    const share = withEncodeShare(work, shareOf(index), shareOf(index + 1));
    films.push(await withSceneRates(source, film, limits, share, range));
  }
  const windows = films.map((film) => ({ film, window: planWindow(film.plan.video, range) }));
  const targets = windows.map(({ film: { plan, path }, window }): PictureTarget => {
    const { subtitles: _, metadata: __, ...rest } = plan;
    const { scenes } = plan.video;
    const placed = scenes && { scenes: placeScenes(scenes, window) };
    return {
      plan: { ...rest, container: 'mp4', video: { ...plan.video, timing: window.timing, ...placed } },
      path: `${path}-window`,
      soundPath: undefined,
      segmentKeys: window.keys,
    };
  });
  const measured = films.filter(({ plan }) => isMeasured(plan.checks));
  const encodeEnd = 1 - (measureShare * measured.length) / films.length;
  await encodePictures(source, targets, limits, withEncodeShare(work, searchEnd, encodeEnd));
  const count = range.to - range.from;
  const files: SegmentFile[] = [];
  for (const [index, { film, window }] of windows.entries()) {
    const encoded = targets[index]?.path ?? '';
    const place = measured.indexOf(film);
    const shareOf = (films: number): number => encodeEnd + ((1 - encodeEnd) * films) / measured.length;
    const scores =
      place === -1
        ? undefined
        : await scoreSegment(
            source,
            { film, encoded, window },
            range,
            limits,
            withEncodeShare(work, shareOf(place), shareOf(place + 1)),
          );
    const path = `${film.path}-segment`;
    const kept = { from: window.before, count, place: range.from, rate: window.timing.fps };
    await keepSamples(encoded, path, kept).catch((error: unknown) => {
      if (!(error instanceof MalformedFile)) throw error;
      throw new MediaError(
        'segment_mismatch',
        `A segment of the output ${film.plan.label} does not begin and end where it was planned: ${error.message}.`,
        { details: { ...film.plan.named, ...range }, cause: error },
      );
    });
    if (scores !== undefined) await appendScores(path, scores);
    const { scenes } = film.plan.video;
    if (scenes !== undefined)
      await appendSceneCrfs(
        path,
        scenes.map(({ crf }) => crf),
      );
    await rm(encoded);
    files.push({ path, frames: count });
  }
  return files;
}

/** The first scene of a segment covers the pictures before it, and the last one those after it. */
function placeScenes(scenes: readonly SceneRate[], { before, timing }: SegmentWindow): SceneRate[] {
  return scenes.map(({ from, to, crf }, index) => ({
    from: index === 0 ? 0 : before + from,
    to: index === scenes.length - 1 ? timing.frames : before + to,
    crf,
  }));
}

interface EncodedWindow {
  film: PictureTarget;
  window: SegmentWindow;
  /** Path of the file with all pictures of the window. */
  encoded: string;
}

/** Pictures before and after a segment that are measured with it: VMAF compares each picture with its neighbours. */
const neighbours = 1;

/** Scores the pictures of a segment as a measurement of the whole film would. */
async function scoreSegment(
  source: PictureSource,
  { film: { plan }, window, encoded }: EncodedWindow,
  { from, to }: SegmentRange,
  limits: PictureLimits,
  work: Work,
): Promise<SegmentScores> {
  const { timing } = plan.video;
  if (timing.kind !== 'constant') throw new TypeError('A segment has a constant rate');
  const lead = Math.min(neighbours, window.before);
  const count = to - from;
  const frames = Math.min(lead + count + neighbours, timing.frames - from + lead);
  const video = { ...plan.video, timing: partOfTiming(timing, from - lead, frames) };
  const target = { plan: { ...plan, container: 'mp4', video }, path: encoded, soundPath: undefined } as const;
  const scores = await scorePictures(source, target, frames, {
    limits,
    signal: work.signal,
    before: window.before - lead,
    onFraction: (fraction) => work.advance('encode', fraction),
  });
  const own = (all: Float32Array): Float32Array => all.subarray(lead, lead + count);
  return { vmaf: own(scores.vmaf), psnr: own(scores.psnr), ssim: own(scores.ssim) };
}
