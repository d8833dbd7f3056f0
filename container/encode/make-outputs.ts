import { rm } from 'node:fs/promises';
import type { AudioCodec } from '../../contract/audio-codecs.ts';
import type { ContainerName } from '../../contract/formats.ts';
import type { JobContext } from '../jobs/job.ts';
import { withEncodeShare } from './encode-share.ts';
import type { EncodeTarget } from './encoded-file.ts';
import type { EncodeLimits, PictureLimits } from './limits.ts';
import { encodeAtLoudness, type LevelledFile } from './loudness/encode-at-loudness.ts';
import type { SegmentedCounters } from './segmented/counters.ts';
import type { Source } from './source.ts';
import { admitPictures, encodePictures, type PictureTarget } from './video/encode-pictures.ts';

/** Sound takes so much of the time of an encode with pictures, and mostly less. */
const soundShare = 0.1;

/** What all outputs of a job are made with. */
interface MakeOptions {
  limits: EncodeLimits & PictureLimits;
  counters: SegmentedCounters;
  job: JobContext;
}

/**
 * Makes the files of all outputs. The sound of those with pictures is encoded as any other, whole and at its loudness, into a file of
 * its own, which is copied beside the pictures: so it stays in step with them however long it is
 * (docs/decisions/sound-beside-pictures-is-encoded-alone.md).
 */
export async function makeOutputs(
  source: Source,
  targets: readonly EncodeTarget[],
  { limits, counters, job }: MakeOptions,
): Promise<LevelledFile[]> {
  const { pictures } = source;
  const pictureTargets = targets.flatMap((target) => (pictures === undefined ? [] : pictureTargetsOf(target)));
  if (pictures === undefined || pictureTargets.length === 0) {
    return await encodeAtLoudness(source, targets, limits, counters, job);
  }
  admitPictures(
    pictureTargets.map(({ plan }) => plan.video),
    pictures,
    limits,
  );
  const sounds = targets.flatMap(soundOf);
  const made = await encodeAtLoudness(source, sounds, limits, counters, withEncodeShare(job, 0, soundShare));
  const frames = await encodePictures(pictures, pictureTargets, limits, withEncodeShare(job, soundShare, 1));
  await Promise.all(pictureTargets.map(({ soundPath = '' }) => rm(soundPath, { force: true })));
  return targets.map(({ path, plan }) => {
    const sound = made[sounds.findIndex((one) => one.path === path || one.path === soundPathOf(path))];
    const video = frames[pictureTargets.findIndex((one) => one.path === path)];
    const whole = { segments: 1, seams: { exact: 0, matched: 0 }, seamFrames: [] };
    const file = plan.audio === undefined || sound === undefined ? { ...whole, streams: {} } : sound;
    return { ...file, streams: { ...file.streams, ...(video !== undefined && { video }) } };
  });
}

const soundPathOf = (path: string): string => `${path}-sound`;

function pictureTargetsOf({ plan, path }: EncodeTarget): PictureTarget[] {
  const { video, audio } = plan;
  if (video === undefined) return [];
  return [{ plan: { ...plan, video }, path, soundPath: audio === undefined ? undefined : soundPathOf(path) }];
}

function soundOf({ plan, path }: EncodeTarget): EncodeTarget[] {
  const { video, ...sound } = plan;
  if (plan.audio === undefined) return [];
  if (video === undefined) return [{ plan, path }];
  return [{ plan: { ...sound, container: soundContainers[plan.audio.codec] }, path: soundPathOf(path) }];
}

/** The files of sound that are copied from: of a kind that keeps where the first sample is, and the last. */
const soundContainers: Record<AudioCodec, ContainerName> = {
  aac: 'm4a',
  alac: 'm4a',
  ac3: 'mp4',
  opus: 'ogg',
  vorbis: 'ogg',
  flac: 'flac',
  mp3: 'mp3',
  pcm: 'wav',
};
