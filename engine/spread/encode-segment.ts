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
import type { Work } from '../work.ts';
import { partOfTiming, planWindow, type SegmentRange, type SegmentWindow } from './plan-spread.ts';
import { appendScores, type SegmentScores } from './segment-scores.ts';

/** The pictures of one film in one segment: a fragmented MP4 without sound. */
export interface SegmentFile {
  path: string;
  frames: number;
}

/**
 * Encodes one segment of all films with one decode. The encoders also get pictures before and after it, so that the
 * segment has the pictures of a single encoder; these are dropped here.
 */
export async function encodeSegment(
  source: PictureSource,
  films: readonly PictureTarget[],
  range: SegmentRange,
  limits: PictureLimits,
  work: Work,
): Promise<SegmentFile[]> {
  const windows = films.map((film) => ({ film, window: planWindow(film.plan.video, range) }));
  const targets = windows.map(({ film: { plan, path }, window }): PictureTarget => {
    const { subtitles: _, metadata: __, ...rest } = plan;
    return {
      plan: { ...rest, container: 'mp4', video: { ...plan.video, timing: window.timing } },
      path: `${path}-window`,
      soundPath: undefined,
      segmentKeys: window.keys,
    };
  });
  admitPictures(
    targets.map(({ plan }) => plan.video),
    source,
    limits,
  );
  const measured = films.filter(({ plan }) => isMeasured(plan.checks));
  const encodeEnd = 1 - (measureShare * measured.length) / films.length;
  await encodePictures(source, targets, limits, withEncodeShare(work, 0, encodeEnd));
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
    await rm(encoded);
    files.push({ path, frames: count });
  }
  return files;
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
