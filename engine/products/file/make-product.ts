import { rm } from 'node:fs/promises';
import { soundContainer } from '../../../contract/formats.ts';
import type { Work } from '../../work.ts';
import type { FailedCopy } from '../../plan/copy-decision.ts';
import { copyAllPictures, copySounds } from '../../copy/copy-streams.ts';
import { withEncodeShare } from '../../encode-share.ts';
import { type EncodeTarget, unsplitFile } from '../../plan/encoded-file.ts';
import type { EncodeLimits, PictureLimits } from '../../ffmpeg/limits.ts';
import { encodeAtLoudness, type LevelledFile } from '../../sound/loudness/encode-at-loudness.ts';
import type { SegmentedCounters } from '../../sound/segmented/counters.ts';
import type { Source } from '../../source/source.ts';
import type { FileProduct } from './plan-product.ts';
import { orUnsupported } from '../../unsupported.ts';
import { admitPictures } from '../../pictures/encode-pictures.ts';
import { type FilmMaking, makeFilms } from '../../pictures/make-films.ts';
import { pictureSeconds } from '../../source/pictures/picture-source.ts';
import { checkEncodable } from '../../pictures/plan-video.ts';
import type { PictureTarget } from '../../pictures/picture-target.ts';

/** Upper estimate of sound's share of the time of an encode with pictures. */
const soundShare = 0.1;

export interface MadeFile {
  kind: 'file';
  product: FileProduct;
  encoded: LevelledFile;
}

/** Options common to all outputs of a job. */
export interface MakeOptions extends FilmMaking {
  limits: EncodeLimits & PictureLimits;
  counters: SegmentedCounters;
  /** Makes a file without pictures in another way than by encoding it; undefined: the file is encoded. */
  makeSound?: ((target: EncodeTarget, work: Work) => Promise<LevelledFile | undefined>) | undefined;
  job: Work;
}

/**
 * Makes the files of all outputs. Sound beside pictures is first encoded to its own file, whole and at its loudness,
 * and then copied beside them; it stays in sync at any length
 * (docs/decisions/encode-sound-separately-from-pictures.md). Copied packets take the same way. If a copy fails
 * verification, the output is made again with that stream encoded.
 */
export async function makeOutputs(
  source: Source,
  targets: readonly EncodeTarget[],
  options: MakeOptions,
): Promise<Map<EncodeTarget, LevelledFile>> {
  const { limits, job } = options;
  const { pictures } = source;
  const parts = targets.map((target) => ({ target, sound: soundOf(target), film: pictures && filmOf(target) }));
  const films = parts.flatMap(({ film }) => film ?? []);
  if (pictures === undefined || films.length === 0) {
    const heard = targets.filter(({ plan }) => plan.audio !== undefined);
    const made = await makeSounds(source, heard, options, job);
    return new Map(targets.map((target) => [target, made.get(target) ?? { ...unsplitFile, streams: {} }]));
  }
  const encodedFilms = films.filter(({ plan }) => plan.video.isCopied === undefined);
  admitPictures(
    encodedFilms.map(({ plan }) => plan.video),
    pictures,
    limits,
  );
  const { sounds: copiedSounds, problems } = await copySounds(source, films, limits, job);
  const sounds = parts.flatMap(({ sound, film }) =>
    sound === undefined || (film && (copiedSounds.has(film) || problems.has(film))) ? [] : sound,
  );
  const [soundJob, pictureJob] = [withEncodeShare(job, 0, soundShare), withEncodeShare(job, soundShare, 1)];
  const encoded = await makeSounds(source, sounds, options, soundJob);
  const copiedFilms = films.filter((film) => film.plan.video.isCopied === true && !problems.has(film));
  for (const [film, problem] of await copyAllPictures(pictures, copiedFilms, limits, pictureJob))
    problems.set(film, problem);
  const filmsToEncode = encodedFilms.filter((film) => !problems.has(film));
  const frames =
    filmsToEncode.length === 0 ? [] : await makeFilms(pictures, filmsToEncode, limits, pictureJob, options);
  await Promise.all(films.map(({ soundPath = '' }) => rm(soundPath, { force: true })));

  const made = new Map<EncodeTarget, LevelledFile>();
  const failed = new Map<EncodeTarget, FailedCopy>();
  for (const { target, sound, film } of parts) {
    const problem = film && problems.get(film);
    if (problem !== undefined) failed.set(target, problem);
    const file = (film && copiedSounds.get(film)) ?? (sound && encoded.get(sound)) ?? { ...unsplitFile, streams: {} };
    const copied =
      film?.plan.video.isCopied === true ? { frames: pictures.frames, seconds: pictureSeconds(pictures) } : undefined;
    const video = film && (copied ?? frames[filmsToEncode.indexOf(film)]);
    made.set(target, video === undefined ? file : { ...file, streams: { ...file.streams, video } });
  }
  return failed.size === 0 ? made : new Map([...made, ...(await encodeInstead(source, failed, options))]);
}

/** Makes files without pictures. Those that are not made in another way are encoded together. */
async function makeSounds(
  source: Source,
  targets: readonly EncodeTarget[],
  { limits, counters, makeSound }: MakeOptions,
  job: Work,
): Promise<Map<EncodeTarget, LevelledFile>> {
  const made = new Map<EncodeTarget, LevelledFile>();
  for (const target of targets) {
    const file = await makeSound?.(target, job);
    if (file !== undefined) made.set(target, file);
  }
  const others = targets.filter((target) => !made.has(target));
  const encoded = await encodeAtLoudness(source, others, limits, counters, job);
  for (const [index, target] of others.entries()) {
    const file = encoded[index];
    if (file !== undefined) made.set(target, file);
  }
  return made;
}

/** Encodes streams that could not be copied. Other streams of their outputs are still copied. */
async function encodeInstead(
  source: Source,
  failed: ReadonlyMap<EncodeTarget, FailedCopy>,
  options: MakeOptions,
): Promise<Map<EncodeTarget, LevelledFile>> {
  const again = [...failed].map(([target, problem]) => {
    const { plan } = target;
    const other = { ...(plan.withoutCopy?.(problem) ?? plan), metadata: plan.metadata };
    orUnsupported(() => checkEncodable(other.video, other));
    return { target, other: { ...target, plan: other } };
  });
  const files = await makeOutputs(
    source,
    again.map(({ other }) => other),
    options,
  );
  return new Map(
    again.flatMap(({ target, other }) => {
      const file = files.get(other);
      return file === undefined ? [] : [[target, { plan: other.plan, ...file }]];
    }),
  );
}

const soundPathOf = (path: string): string => `${path}-sound`;

/** The pictures of an output; undefined if it has none. */
export function filmOf({ plan, path }: EncodeTarget): PictureTarget | undefined {
  const { video, audio } = plan;
  if (video === undefined) return undefined;
  return { plan: { ...plan, video }, path, soundPath: audio === undefined ? undefined : soundPathOf(path) };
}

/** The sound of an output, as a file of its own; undefined if it has none. */
export function soundOf(target: EncodeTarget): EncodeTarget | undefined {
  const { plan, path } = target;
  const { video, isFragmented: _, subtitles: __, ...sound } = plan;
  if (plan.audio === undefined) return undefined;
  if (video === undefined) return target;
  return { plan: { ...sound, container: soundContainer(plan.audio.codec) }, path: soundPathOf(path) };
}
