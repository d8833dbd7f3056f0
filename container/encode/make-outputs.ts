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
import { admitPictures, type PictureTarget } from './video/encode-pictures.ts';
import { makeFilms } from './video/make-films.ts';

/** Sound takes so much of the time of an encode with pictures, and mostly less. */
const soundShare = 0.1;

/** What all outputs of a job are made with. */
export interface MakeOptions {
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
): Promise<Map<EncodeTarget, LevelledFile>> {
  const { pictures } = source;
  const parts = targets.map((target) => ({ target, sound: soundOf(target), film: pictures && filmOf(target) }));
  const sounds = parts.flatMap(({ sound }) => sound ?? []);
  const films = parts.flatMap(({ film }) => film ?? []);
  const hasFilms = pictures !== undefined && films.length > 0;
  if (hasFilms) {
    admitPictures(
      films.map(({ plan }) => plan.video),
      pictures,
      limits,
    );
  }
  const soundJob = hasFilms ? withEncodeShare(job, 0, soundShare) : job;
  const encoded = await encodeAtLoudness(source, sounds, limits, counters, soundJob);
  const frames = hasFilms ? await makeFilms(pictures, films, limits, withEncodeShare(job, soundShare, 1)) : [];
  await Promise.all(films.map(({ soundPath = '' }) => rm(soundPath, { force: true })));
  return new Map(
    parts.map(({ target, sound, film }) => {
      const file = (sound && encoded[sounds.indexOf(sound)]) ?? { ...unsplit, streams: {} };
      const video = film && frames[films.indexOf(film)];
      return [target, video === undefined ? file : { ...file, streams: { ...file.streams, video } }];
    }),
  );
}

const unsplit = { segments: 1, seams: { exact: 0, matched: 0 }, seamFrames: [] };

const soundPathOf = (path: string): string => `${path}-sound`;

function filmOf({ plan, path }: EncodeTarget): PictureTarget | undefined {
  const { video, audio } = plan;
  if (video === undefined) return undefined;
  return { plan: { ...plan, video }, path, soundPath: audio === undefined ? undefined : soundPathOf(path) };
}

function soundOf(target: EncodeTarget): EncodeTarget | undefined {
  const { plan, path } = target;
  const { video, ...sound } = plan;
  if (plan.audio === undefined) return undefined;
  if (video === undefined) return target;
  return { plan: { ...sound, container: soundContainers[plan.audio.codec] }, path: soundPathOf(path) };
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
