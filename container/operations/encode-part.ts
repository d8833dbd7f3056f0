import { join } from 'node:path';
import type { SourceFacts } from '../../contract/http/encode.ts';
import type { EncodePart, PartResult, SegmentRange } from '../../contract/http/part.ts';
import type { SourceIdentity } from '../../contract/http/source.ts';
import { segmentFileName } from '../../contract/spread-settings.ts';
import { differs } from '../../contract/same-source.ts';
import { encoderBuild } from '../../engine/ffmpeg/encoder-build.ts';
import type { PictureLimits } from '../../engine/ffmpeg/limits.ts';
import { MediaError } from '../../engine/media-error.ts';
import type { PictureEncoder } from '../../engine/pictures/encode-pictures.ts';
import type { PictureTarget } from '../../engine/pictures/picture-target.ts';
import { filmsOf } from '../../engine/products/make-products.ts';
import type { Product } from '../../engine/products/plan-products.ts';
import type { VideoPlan } from '../../engine/plan/video-plan.ts';
import { pictureSeconds } from '../../engine/source/pictures/picture-source.ts';
import type { Source } from '../../engine/source/source.ts';
import { encodeSegment } from '../../engine/spread/encode-segment.ts';
import { joinFilms } from '../../engine/spread/join-segments.ts';
import { planSpread } from '../../engine/spread/plan-spread.ts';
import { digestFilms } from '../../engine/spread/segment-packets.ts';
import type { JobContext } from '../jobs/job.ts';
import type { DeliverableFile } from '../transfer/delivery.ts';
import { digestFile } from '../transfer/digest.ts';
import type { MediaTransfer } from '../transfer/transfer.ts';

type Part<Kind extends EncodePart['kind']> = Extract<EncodePart, { kind: Kind }>;

/** Throws if the source is another one than that of the plan: segments of two versions must never be joined. */
export function checkUnchanged(part: EncodePart | undefined, identity: SourceIdentity): void {
  if (part === undefined || part.kind === 'plan' || !differs(part.source, identity)) return;
  throw new MediaError(
    'source_changed',
    'The source was changed while its film was being encoded in segments. Start the encode again.',
  );
}

/** Throws if this container has other encoders than that of the plan: the pictures could differ at a seam. */
export async function checkEncoder(part: EncodePart | undefined): Promise<void> {
  if (part?.kind !== 'segment' || part.encoder === undefined || part.encoder === (await knownBuild())) return;
  throw new MediaError(
    'other_encoder',
    'The container that planned the film has other encoders: another build of ffmpeg, or another kind of processor. Ask another container.',
  );
}

/** Undefined if the encoders could not be tried, for example because a busy machine took too long. */
async function knownBuild(): Promise<string | undefined> {
  return await encoderBuild().catch(() => undefined);
}

/** What is known of the source without decoding it. */
export function pictureFacts({ pictures, estimatedSeconds = 0 }: Source): SourceFacts {
  return {
    duration: pictures === undefined ? estimatedSeconds : pictureSeconds(pictures),
    bitrate: pictures?.bitrate ?? 0,
  };
}

/** Divides the films of all outputs into segments. */
export async function planParts(
  part: Part<'plan'>,
  products: readonly Product[],
  source: Source,
  { validator, sha256 }: SourceIdentity,
): Promise<PartResult> {
  if (validator === undefined && sha256 === undefined) {
    return { kind: 'whole', reason: 'the server of the source does not state its version' };
  }
  if (products.some((product) => product.kind === 'package' && product.plan.perTitle !== undefined)) {
    return { kind: 'whole', reason: 'perTitle tries the sizes on samples of the whole film' };
  }
  const films = filmsOf(products);
  const { pictures } = source;
  const planned = planSpread(films, pictures, part);
  if (planned.kind === 'whole') return planned;
  const opening = pictures && { digest: digestFilms(films, pictures), scan: pictures.scan };
  return { kind: 'plan', segments: planned.segments, films: films.length, opening, encoder: await knownBuild() };
}

/** Throws if a film does not have the pictures of the segment. */
export function checkSegment({ from, to }: SegmentRange, films: readonly Pick<PictureTarget, 'plan'>[]): void {
  const isWithin = ({ timing }: VideoPlan): boolean => timing.kind === 'constant' && from < to && to <= timing.frames;
  if (films.every(({ plan }) => isWithin(plan.video))) return;
  throw new MediaError('invalid_request', `Not every film has the pictures ${from} to ${to}.`);
}

/** A file of a segment, to be stored where the caller says. */
type SegmentDelivery = DeliverableFile & { frames: number };

/** Encodes the pictures of a segment: one file for each film, in the order of the outputs. */
export async function makeSegment(
  { from, to }: Part<'segment'>,
  products: readonly Product[],
  { pictures }: Source,
  limits: PictureLimits,
  job: JobContext,
): Promise<SegmentDelivery[]> {
  const films = filmsOf(products);
  if (pictures === undefined || films.length === 0) {
    throw new MediaError('invalid_request', 'No output has pictures, so there is no segment to encode.');
  }
  checkSegment({ from, to }, films);
  const made = await encodeSegment(pictures, films, { from, to }, limits, job);
  const files: SegmentDelivery[] = [];
  for (const [index, { path, frames }] of made.entries()) {
    const digest = await digestFile(path, job.signal, () => job.advance('verify', index / made.length));
    files.push({
      name: segmentFileName(index),
      path,
      contentType: 'video/mp4',
      digest,
      output: 0,
      target: undefined,
      frames,
    });
  }
  return files;
}

export function describeSegment(files: readonly SegmentDelivery[]): PartResult {
  return {
    kind: 'segment',
    files: files.map(({ name, digest: { size, sha256 }, frames }) => ({ name, size, sha256, frames })),
  };
}

/** Downloads all segments, and returns what makes films of them instead of an encoder. */
export async function fetchSegments(
  { segments }: Part<'join'>,
  products: readonly Product[],
  transfer: MediaTransfer,
  job: JobContext,
): Promise<PictureEncoder> {
  const films = filmsOf(products);
  const paths = new Map(films.map(({ path }) => [path, [] as string[]]));
  for (const [index, files] of segments.entries()) {
    if (files.length !== films.length) {
      const message = `Segment ${index + 1} has ${files.length} files, and the outputs have ${films.length} films.`;
      throw new MediaError('segment_mismatch', message, { details: { segment: index } });
    }
    for (const [film, { url, sha256 }] of files.entries()) {
      const path = join(job.fetchedFolder, `segment-${index}-${film}`);
      await transfer.download({ sourceUrl: url, sourceSha256: sha256 }, path, {
        signal: job.signal,
        advance: () => job.advance('probe', index / segments.length),
      });
      paths.get(films[film]?.path ?? '')?.push(path);
    }
  }
  return (_, targets, limits, work) => joinFilms(targets, ({ path }) => paths.get(path) ?? [], limits, work);
}
