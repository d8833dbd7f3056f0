import { join } from 'node:path';
import type { EncodeResult } from '../../contract/http/encode.ts';
import type { EncodePart, PartResult, SegmentLink, SegmentRange, SegmentSound } from '../../contract/http/part.ts';
import type { SourceIdentity } from '../../contract/http/source.ts';
import { segmentFileName } from '../../contract/spread-settings.ts';
import { differs } from '../../contract/same-source.ts';
import { encoderBuild } from '../../engine/ffmpeg/encoder-build.ts';
import type { EncodeLimits, PictureLimits } from '../../engine/ffmpeg/limits.ts';
import { withEncodeShare } from '../../engine/encode-share.ts';
import { admitPictures } from '../../engine/pictures/encode-pictures.ts';
import { findCrf, withCrf } from '../../engine/pictures/quality/find-crf.ts';
import { MediaError } from '../../engine/media-error.ts';
import type { PictureTarget } from '../../engine/pictures/picture-target.ts';
import type { EncodeTarget } from '../../engine/plan/encoded-file.ts';
import type { MakeOptions } from '../../engine/products/file/make-product.ts';
import { filmsOf, soundsOf } from '../../engine/products/make-products.ts';
import type { Product } from '../../engine/products/plan-products.ts';
import type { VideoPlan } from '../../engine/plan/video-plan.ts';
import { pictureSeconds, type PictureSource } from '../../engine/source/pictures/picture-source.ts';
import type { Source } from '../../engine/source/source.ts';
import { encodeSegment } from '../../engine/spread/encode-segment.ts';
import { encodeSoundSegment } from '../../engine/spread/encode-sound.ts';
import { joinFilms } from '../../engine/spread/join-segments.ts';
import { type FetchedSound, joinSound } from '../../engine/spread/join-sound.ts';
import { planSound } from '../../engine/spread/plan-sound.ts';
import { planSpread } from '../../engine/spread/plan-spread.ts';
import { digestFilms } from '../../engine/spread/segment-packets.ts';
import type { JobContext } from '../jobs/job.ts';
import type { DeliverableFile } from '../transfer/delivery.ts';
import { digestFile } from '../transfer/digest.ts';
import type { MediaTransfer } from '../transfer/transfer.ts';
import { namingFile } from './linked-files.ts';
import { countWholeSounds, fetchWholeSounds } from './whole-sound.ts';

type Part<Kind extends EncodePart['kind']> = Extract<EncodePart, { kind: Kind }>;

/** Throws if the source is another one than that of the plan: segments of two versions must never be joined. */
export function checkUnchanged(part: EncodePart | undefined, identity: SourceIdentity): void {
  if (part === undefined || part.kind === 'plan' || !differs(part.source, identity)) return;
  throw new MediaError(
    'source_changed',
    'The source was changed while it was being encoded in segments. Start the encode again.',
  );
}

/**
 * End of the encoders' name in a plan whose films fade or have burnt subtitles. A container of an older version runs
 * their filters on a clock that starts with the segment. It knows no such encoders, and refuses the segment.
 */
const filmClock = '+film-clock';

const runsOnFilmClock = ({ plan: { video } }: PictureTarget): boolean =>
  video.fade !== undefined || video.drawnSubtitles !== undefined;

/** Throws if this container has other encoders than that of the plan: the pictures could differ at a seam. */
export async function checkEncoder(part: EncodePart | undefined): Promise<void> {
  const encoder = part?.kind === 'segment' ? part.encoder?.replace(filmClock, '') : undefined;
  if (encoder === undefined || encoder === '' || encoder === (await knownBuild())) return;
  throw new MediaError(
    'other_encoder',
    'The container that planned the segments has other encoders: another build of ffmpeg, or another kind of processor. Ask another container.',
  );
}

/** Undefined if the encoders could not be tried, for example because a busy machine took too long. */
async function knownBuild(): Promise<string | undefined> {
  return await encoderBuild().catch(() => undefined);
}

/** Answer to a part, with the facts of the source that are known without decoding it. */
export function answerOfPart(
  part: PartResult,
  { pictures, estimatedSeconds = 0 }: Source,
  identity: SourceIdentity,
  jobId: string,
): EncodeResult {
  const duration = pictures === undefined ? estimatedSeconds : pictureSeconds(pictures);
  const source = { duration, bitrate: pictures?.bitrate ?? 0 };
  return { success: true, jobId, outputs: [], source, identity, part };
}

/** Divides the films of all outputs, or their sound if there are none, into segments. */
export async function planParts(
  part: Part<'plan'>,
  products: readonly Product[],
  source: Source,
  { validator, sha256 }: SourceIdentity,
  limits: PictureLimits,
  job: JobContext,
): Promise<PartResult> {
  if (validator === undefined && sha256 === undefined) {
    return { kind: 'whole', reason: 'the server of the source does not state its version' };
  }
  if (products.some((product) => product.kind === 'package' && product.plan.perTitle !== undefined)) {
    return { kind: 'whole', reason: 'perTitle tries the sizes on samples of the whole film' };
  }
  const films = filmsOf(products);
  if (films.length === 0) {
    const sound = await planSound(source, soundsOf(products), part);
    if (sound.kind === 'whole') return sound;
    return { kind: 'plan', segments: sound.segments, films: sound.files, encoder: await knownBuild() };
  }
  const { pictures } = source;
  const planned = planSpread(films, pictures, part);
  if (planned.kind === 'whole') return planned;
  const opening = pictures && { digest: digestFilms(films, pictures), scan: pictures.scan };
  const counts = { films: films.length, sounds: countWholeSounds(products) };
  const crfs = pictures && (await findCrfs(films, pictures, limits, job));
  const build = await knownBuild();
  const encoder = films.some(runsOnFilmClock) ? `${build ?? ''}${filmClock}` : build;
  return { kind: 'plan', segments: planned.segments, ...counts, opening, encoder, crfs };
}

/** Undefined if no film has a quality target. */
async function findCrfs(
  films: readonly PictureTarget[],
  source: PictureSource,
  limits: PictureLimits,
  job: JobContext,
): Promise<(number | null)[] | undefined> {
  if (films.every(({ plan }) => plan.checks.target === undefined)) return undefined;
  // The search encodes samples, and a process that outgrows its container is killed together with its job.
  admitPictures(
    films.map(({ plan }) => plan.video),
    source,
    limits,
  );
  const crfs: (number | null)[] = [];
  for (const [index, film] of films.entries()) {
    const share = withEncodeShare(job, index / films.length, (index + 1) / films.length);
    crfs.push((await findCrf(source, film, limits, share)) ?? null);
  }
  return crfs;
}

/** Throws if a film does not have the pictures of the segment. */
export function checkSegment({ from, to }: SegmentRange, films: readonly Pick<PictureTarget, 'plan'>[]): void {
  const isWithin = ({ timing }: VideoPlan): boolean => timing.kind === 'constant' && from < to && to <= timing.frames;
  if (films.every(({ plan }) => isWithin(plan.video))) return;
  throw new MediaError('invalid_request', `Not every film has the pictures ${from} to ${to}.`);
}

/** A file of a segment. `frames`: length of the segment, in the units of its range. */
interface SegmentFile {
  path: string;
  frames: number;
  sound?: SegmentSound;
}

/** A file of a segment, to be stored where the caller says. */
type SegmentDelivery = DeliverableFile & SegmentFile;

/** Encodes one segment of each film, or of each output's sound if there are no films, in the order of the outputs. */
export async function makeSegment(
  { from, to, borders, crfs }: Part<'segment'>,
  products: readonly Product[],
  source: Source,
  limits: EncodeLimits & PictureLimits,
  job: JobContext,
): Promise<SegmentDelivery[]> {
  const range = { from, to };
  const films = filmsOf(products).map((film, index) => withCrf(film, crfs?.[index] ?? undefined));
  if (films.length > 0) checkSegment(range, films);
  // A worker of an older version does not pass on what the plan has found. One container then encodes the whole film.
  if (crfs === undefined && films.some(({ plan }) => plan.checks.target !== undefined)) {
    throw new MediaError('invalid_request', 'A segment of a film with a quality target needs the crfs of the plan.');
  }
  const made: SegmentFile[] =
    source.pictures === undefined || films.length === 0
      ? await makeSound(range, products, source, limits, job)
      : await encodeSegment(source.pictures, films, { ...range, borders }, limits, job);
  const files: SegmentDelivery[] = [];
  for (const [index, { path, frames, sound }] of made.entries()) {
    const digest = await digestFile(path, job.signal, () => job.advance('verify', index / made.length));
    files.push({
      name: segmentFileName(index),
      path,
      contentType: sound === undefined ? 'video/mp4' : 'application/octet-stream',
      digest,
      output: 0,
      target: undefined,
      frames,
      ...(sound !== undefined && { sound }),
    });
  }
  return files;
}

async function makeSound(
  range: SegmentRange,
  products: readonly Product[],
  source: Source,
  limits: EncodeLimits,
  job: JobContext,
): Promise<SegmentFile[]> {
  const made = await encodeSoundSegment(source, soundsOf(products), range, limits, job);
  return made.map(({ path, encoded, ...place }) => {
    const { streams, seams, seamFrames } = encoded;
    const sound = { ...place, isMended: streams.audio?.isMended === true, seams, seamFrames: [...seamFrames] };
    return { path, frames: range.to - range.from, sound };
  });
}

export function describeSegment(files: readonly SegmentDelivery[]): PartResult {
  return {
    kind: 'segment',
    files: files.map(({ name, digest: { size, sha256 }, frames, sound }) => {
      return { name, size, sha256, frames, ...(sound !== undefined && { sound }) };
    }),
  };
}

/** The join that makes outputs from segments, in place of an encoder. */
type SegmentJoiners = Pick<MakeOptions, 'encodePictures' | 'crfOf' | 'makeSound'>;

/** Fetches a file of a segment, and returns its path. */
type FetchFile = (link: Pick<SegmentLink, 'url' | 'sha256'>, segment: number, place: number) => Promise<string>;

/** Downloads all segments, and returns what makes films or sound of them instead of an encoder. */
export async function fetchSegments(
  { segments, sounds, crfs }: Part<'join'>,
  products: readonly Product[],
  transfer: MediaTransfer,
  job: JobContext,
): Promise<SegmentJoiners> {
  const fetchFile: FetchFile = async ({ url, sha256 }, segment, place) => {
    const path = join(job.fetchedFolder, `segment-${segment}-${place}`);
    const name = segment < segments.length ? `Segment ${segment + 1}` : 'The sound of the segments';
    const progress = { signal: job.signal, advance: () => job.advance('probe', segment / segments.length) };
    const details = { field: segment < segments.length ? 'part.segments' : 'part.sounds' };
    await namingFile(name, details, () => transfer.download({ sourceUrl: url, sourceSha256: sha256 }, path, progress));
    return path;
  };
  const films = filmsOf(products);
  if (films.length === 0) return await fetchSounds(segments, soundsOf(products), fetchFile);
  const paths = new Map(films.map(({ path }) => [path, [] as string[]]));
  for (const [index, files] of segments.entries()) {
    if (files.length !== films.length) {
      throw mismatch(index, `has ${files.length} files, and the outputs have ${films.length} films`);
    }
    for (const [film, link] of files.entries()) {
      paths.get(films[film]?.path ?? '')?.push(await fetchFile(link, index, film));
    }
  }
  return {
    ...(await fetchWholeSounds(sounds, products, (link, place) => fetchFile(link, segments.length, place))),
    crfOf: ({ path }) => crfs?.[films.findIndex((film) => film.path === path)] ?? undefined,
    encodePictures: (source, targets, limits, work) =>
      joinFilms(source, targets, ({ path }) => paths.get(path) ?? [], limits, work),
  };
}

async function fetchSounds(
  segments: readonly (readonly SegmentLink[])[],
  targets: readonly EncodeTarget[],
  fetchFile: FetchFile,
): Promise<SegmentJoiners> {
  const fetched = new Map<string, FetchedSound[]>();
  for (const [index, links] of segments.entries()) {
    for (const [place, link] of links.entries()) {
      const target = link.sound && targets[link.sound.file];
      if (link.sound === undefined || target === undefined) throw mismatch(index, 'has a file of no output');
      const path = await fetchFile(link, index, place);
      fetched.set(target.path, [...(fetched.get(target.path) ?? []), { ...link.sound, path }]);
    }
    const isEven = [...fetched.values()].every((files) => files.length === index + 1);
    if (!isEven) throw mismatch(index, 'has files of other outputs than the segments before it');
  }
  return {
    async makeSound(target, work) {
      const files = fetched.get(target.path);
      return files && (await joinSound(target, files, work));
    },
  };
}

function mismatch(segment: number, problem: string): MediaError {
  return new MediaError('segment_mismatch', `Segment ${segment + 1} ${problem}.`, { details: { segment } });
}
