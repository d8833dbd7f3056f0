import type { ErrorCode } from '../../contract/error-codes.ts';
import type { EncodePart } from '../../contract/http/part.ts';
import { listPlacedPackets, type PlacedPacket } from '../../engine/ffmpeg/packet-places.ts';
import { endsTheJob } from '../../engine/ends-the-job.ts';
import { MediaError } from '../../engine/media-error.ts';
import { filmsOf } from '../../engine/products/make-products.ts';
import type { Product } from '../../engine/products/plan-products.ts';
import type { PartialPictures } from '../../engine/source/pictures/open-pictures.ts';
import { MissingPackets } from '../../engine/source/pictures/missing-packets.ts';
import type { Source } from '../../engine/source/source.ts';
import { bringBeginning, bringIndex, bringPackets } from '../../engine/spread/partial-file.ts';
import { digestFilms, segmentPackets } from '../../engine/spread/segment-packets.ts';
import type { JobContext } from '../jobs/job.ts';
import type { PartialDownload } from '../transfer/partial-download.ts';
import { CannotGoOn } from '../transfer/stretch-fetcher.ts';
import type { MediaTransfer, RequestedSource } from '../transfer/transfer.ts';
import { checkSegment, checkUnchanged } from './encode-part.ts';

/** A source that was opened, and what is made from it. */
export interface Prepared {
  source: Source;
  products: readonly Product[];
}

/** Opens the downloaded file and plans the outputs. */
type Prepare = (partial?: PartialPictures) => Promise<Prepared>;

export type SegmentPart = Extract<EncodePart, { kind: 'segment' }>;

/**
 * Makes a segment from only those bytes of the source that its pictures need. Returns undefined if the whole source is
 * needed: it is not an MP4 or MOV file, its server does not serve ranges, or the part does not show the same film as the
 * plan found in the whole.
 */
export async function withSegmentBytes<Result>(
  part: SegmentPart,
  { request, target, prepare }: { request: RequestedSource; target: string; prepare: Prepare },
  transfer: MediaTransfer,
  job: JobContext,
  make: (prepared: Prepared) => Promise<Result>,
): Promise<Result | undefined> {
  const file = part.opening && (await transfer.openPartial(request, part.source, target, job));
  if (file === undefined) return undefined;
  try {
    const opened = await openPart(part, file, prepare, job);
    if ('prepared' in opened) return await make(opened.prepared);
    job.log.info({ reason: opened.whole }, 'The segment reads the whole source');
  } catch (error) {
    if (!isOfPart(error, job.signal)) throw error;
    job.log.warn({ error }, 'A part of the source is not enough; the segment reads the whole source');
    // The whole source need not be downloaded to see that it is another one.
    if (error instanceof CannotGoOn) checkUnchanged(part, await transfer.identify(request, job.signal));
  } finally {
    await file.close();
  }
  return undefined;
}

/** Errors that missing bytes could cause. */
const codesOfPart: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(['undecodable_source', 'source_truncated', 'unsupported_format', 'no_audio', 'no_video'] as const),
  ...(['ffmpeg_failed', 'segment_mismatch'] as const),
]);

/** Whether the whole source might not cause this error. Failures of transfers are the same for the whole. */
function isOfPart(error: unknown, signal: AbortSignal): boolean {
  if (signal.aborted) return false;
  if (error instanceof MissingPackets || error instanceof CannotGoOn) return true;
  return error instanceof MediaError && codesOfPart.has(error.code) && !endsTheJob(error);
}

/** `whole`: why the whole source is needed. */
type Opened = { prepared: Prepared } | { whole: string };

async function openPart(part: SegmentPart, file: PartialDownload, prepare: Prepare, job: JobContext): Promise<Opened> {
  const { signal } = job;
  if (!(await bringIndex(file))) return { whole: 'its format or its fragments have no short index' };
  if (!(await bringBeginning(file, signal))) return { whole: 'its index does not state where its packets are' };
  let packets: PlacedPacket[] = [];
  const prepared = await prepare({
    scan: part.opening?.scan,
    async list(path, streamIndex, listSignal) {
      packets = await listPlacedPackets(path, streamIndex, listSignal);
      return packets;
    },
  });
  const { source, products } = prepared;
  const { pictures } = source;
  const films = filmsOf(products);
  if (pictures === undefined || digestFilms(films, pictures) !== part.opening?.digest) {
    return { whole: 'its index shows another film than the whole' };
  }
  checkSegment(part, films);
  if (!(await bringPackets(file, segmentPackets(films, pictures, part, packets)))) {
    return { whole: 'its index names packets outside the file' };
  }
  return { prepared };
}
