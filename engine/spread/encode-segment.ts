import { rm } from 'node:fs/promises';
import type { PictureLimits } from '../ffmpeg/limits.ts';
import { keepSamples } from './fragments.ts';
import { MalformedFile } from '../formats/malformed-file.ts';
import { MediaError } from '../media-error.ts';
import { admitPictures, encodePictures } from '../pictures/encode-pictures.ts';
import type { PictureTarget } from '../pictures/picture-target.ts';
import type { PictureSource } from '../source/pictures/picture-source.ts';
import type { Work } from '../work.ts';
import { planWindow, type SegmentRange } from './plan-spread.ts';

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
  await encodePictures(source, targets, limits, work);
  const count = range.to - range.from;
  const files: SegmentFile[] = [];
  for (const [index, { film, window }] of windows.entries()) {
    const encoded = targets[index]?.path ?? '';
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
    await rm(encoded);
    files.push({ path, frames: count });
  }
  return files;
}
