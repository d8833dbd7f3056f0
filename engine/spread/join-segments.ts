import { rm } from 'node:fs/promises';
import { withEncodeShare } from '../encode-share.ts';
import { pictureDecodeGuards } from '../ffmpeg/guards.ts';
import type { PictureLimits } from '../ffmpeg/limits.ts';
import { joinFragments, type JoinProblem, vp9ChromaPlace } from './fragments.ts';
import { MalformedFile } from '../formats/malformed-file.ts';
import { MediaError } from '../media-error.ts';
import type { EncodedPictures } from '../pictures/encode-pictures.ts';
import { muxCopied } from '../pictures/mux-copied.ts';
import type { PictureTarget } from '../pictures/picture-target.ts';
import { plannedSeconds } from '../pictures/video-timing.ts';
import { isMeasured } from '../pictures/quality/measurable.ts';
import { summariseQuality } from '../pictures/quality/measure-quality.ts';
import type { PictureSource } from '../source/pictures/picture-source.ts';
import type { Work } from '../work.ts';
import { poolScores, readSceneCrfs } from './segment-scores.ts';

/** Share of the join in the time of join and mux. */
const joinShare = 0.4;

const problems: Record<JoinProblem, string> = {
  headers: 'its encoder wrote other headers than that of the first segment, as another version does',
  times: 'it does not begin where the segment before it ends',
};

/** Joins the segments of each film, in order, and combines the pictures with their sound and subtitles. */
export async function joinFilms(
  source: PictureSource,
  films: readonly PictureTarget[],
  segmentsOf: (film: PictureTarget) => readonly string[],
  limits: PictureLimits,
  work: Work,
): Promise<EncodedPictures[]> {
  const joined: EncodedPictures[] = [];
  for (const [index, film] of films.entries()) {
    const share = withEncodeShare(work, index / films.length, (index + 1) / films.length);
    joined.push(await joinFilm(source, film, segmentsOf(film), limits, share));
  }
  return joined;
}

async function joinFilm(
  source: PictureSource,
  film: PictureTarget,
  segments: readonly string[],
  limits: PictureLimits,
  work: Work,
): Promise<EncodedPictures> {
  const { plan, path } = film;
  const { timing } = plan.video;
  if (timing.kind !== 'constant') throw new TypeError('Segments have a constant rate');
  const pictures = `${path}-pictures`;
  const result = await joinFragments(segments, pictures, timing.fps, (index) => {
    work.signal.throwIfAborted();
    work.advance('encode', (joinShare * (index + 1)) / segments.length);
  }).catch((error: unknown) => {
    if (!(error instanceof MalformedFile)) throw error;
    const message = `A segment of the output ${plan.label} cannot be read: ${error.message}.`;
    throw new MediaError('segment_mismatch', message, { details: plan.named, cause: error });
  });
  if ('problem' in result) {
    throw new MediaError(
      'segment_mismatch',
      `Segment ${result.index + 1} of the output ${plan.label} cannot be joined: ${problems[result.problem]}.`,
      { details: { ...plan.named, segment: result.index } },
    );
  }
  // Encoded pictures have no disposition, and MP4 marks each track as a default.
  const options = ['-disposition:v', '0'];
  const chromaPlace = vp9ChromaPlace(result.sampleEntry, source);
  if (chromaPlace !== undefined) options.push('-chroma_sample_location:v', chromaPlace);
  const copied = { path: pictures, index: 0, inputOptions: pictureDecodeGuards(1), options };
  await muxCopied(copied, film, limits, withEncodeShare(work, joinShare, 1));
  await rm(pictures);
  const sceneCrfs = await readSceneCrfs(segments);
  const joined = { frames: result.samples, seconds: plannedSeconds(timing), ...(sceneCrfs && { sceneCrfs }) };
  const pooled = isMeasured(plan.checks) ? await poolScores(segments, result.samples) : undefined;
  return pooled === undefined
    ? joined
    : { ...joined, quality: summariseQuality(plan.video, pooled.scores, pooled.seams) };
}
