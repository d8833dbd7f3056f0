import type { ErrorCode } from '../../contract/error-codes.ts';
import type { EncodeResult } from '../../contract/http/encode.ts';
import { type EncodePart, mostByteRanges, type PartResult } from '../../contract/http/part.ts';
import type { SourceIdentity } from '../../contract/http/source.ts';
import {
  listFirstPlaces,
  listPlacedPackets,
  type PacketPlace,
  type PlacedPacket,
} from '../../engine/ffmpeg/packet-places.ts';
import type { PictureLimits } from '../../engine/ffmpeg/limits.ts';
import { endsTheJob } from '../../engine/ends-the-job.ts';
import { MediaError } from '../../engine/media-error.ts';
import { filmsOf } from '../../engine/products/make-products.ts';
import type { Product } from '../../engine/products/plan-products.ts';
import type { PartialPictures } from '../../engine/source/pictures/open-pictures.ts';
import { MissingPackets } from '../../engine/source/pictures/missing-packets.ts';
import type { TimedPictures } from '../../engine/source/pictures/picture-source.ts';
import type { Source } from '../../engine/source/source.ts';
import type { Scan } from '../../engine/source/pictures/scan/judge-scan.ts';
import type { ByteRange } from '../../engine/spread/byte-ranges.ts';
import { readMatroskaLayout } from '../../engine/spread/matroska-layout.ts';
import { bringMatroska, matroskaRanges } from '../../engine/spread/matroska-ranges.ts';
import { packTimes, unpackTimes } from '../../engine/spread/packed-times.ts';
import { bringIndex, bringPackets, type PartialFile } from '../../engine/spread/partial-file.ts';
import { digestFilms, scanPackets, segmentPackets } from '../../engine/spread/segment-packets.ts';
import type { JobContext } from '../jobs/job.ts';
import { CannotGoOn } from '../transfer/stretch-fetcher.ts';
import type { MediaTransfer, RequestedSource } from '../transfer/transfer.ts';
import { answerOfPart, checkSegment, checkUnchanged, planParts } from './encode-part.ts';

/** An opened source, and the products to make from it. */
export interface Prepared {
  source: Source;
  products: readonly Product[];
}

export type SegmentPart = Extract<EncodePart, { kind: 'segment' }>;

/** A source of which a part of an encode may need only some bytes. */
interface PartialInput {
  request: RequestedSource;
  /** Path of the fetched file. */
  target: string;
  /** Opens the fetched file and plans the outputs. */
  prepare(partial?: PartialPictures): Promise<Prepared>;
}

/** Fetches packets. Throws `MissingPackets` if the file cannot have them. */
type BringPackets = (packets: readonly PacketPlace[]) => Promise<void>;

/** `whole`: why the whole source is needed. */
type Used<Result> = { result: Result } | { whole: string };

/** Work on a source of which only some packets are present. `packets` lists all packets of the pictures. */
interface PartialUse<Result> {
  scan(
    measuring: { pictures: TimedPictures; measure(): Promise<Scan | undefined> },
    packets: readonly PlacedPacket[],
    bring: BringPackets,
  ): Promise<Scan | undefined>;
  use(prepared: Prepared, packets: readonly PlacedPacket[], bring: BringPackets): Promise<Used<Result>>;
}

/** Plans a spread encode without the packets of the film. Returns undefined if the whole source is needed. */
export async function planFromIndex(
  part: Extract<EncodePart, { kind: 'plan' }>,
  input: PartialInput,
  transfer: MediaTransfer,
  limits: PictureLimits,
  job: JobContext,
): Promise<EncodeResult | undefined> {
  // Only the whole source shows its checksum.
  if (input.request.sourceSha256 !== undefined) return undefined;
  const identity = await transfer.identify(input.request, job.signal);
  const use: PartialUse<EncodeResult> = {
    async scan({ pictures, measure }, packets, bring) {
      await bring(scanPackets(pictures, packets));
      return await measure();
    },
    async use({ source, products }) {
      if (filmsOf(products).some(({ plan }) => plan.checks.target !== undefined)) {
        return { whole: 'the plan encodes samples of it for a quality target' };
      }
      const planned = await planParts(part, products, source, identity, limits, job);
      return { result: answerOfPart(planned, source, identity, job.jobId) };
    },
  };
  return await withPart(part, identity, input, use, transfer, job);
}

/**
 * Adds to the plan of a Matroska film the bytes that each segment needs: its index names only key frames. The source is
 * present as a whole.
 */
export async function withBytes(
  planned: PartResult,
  { request, target }: Pick<PartialInput, 'request' | 'target'>,
  { source: { pictures }, products }: Prepared,
  job: JobContext,
): Promise<PartResult> {
  if (planned.kind !== 'plan' || planned.opening === undefined || pictures === undefined) return planned;
  if (request.sourceUrl.startsWith('file:') || !pictures.formatName.startsWith('matroska')) return planned;
  const times = packTimes(pictures);
  const layout = await readMatroskaLayout(target);
  if (times === undefined || layout === undefined) return planned;
  const first = await listFirstPlaces(target, job.signal);
  const packets = await listPlacedPackets(target, pictures.index, job.signal);
  const films = filmsOf(products);
  const segments = planned.segments.map((range) => {
    return { ...range, bytes: matroskaRanges(layout, first, segmentPackets(films, pictures, range, packets)) };
  });
  if (segments.some(({ bytes }) => bytes.length > mostByteRanges)) return planned;
  return { ...planned, segments, times };
}

/** Makes a segment from the packets that its pictures need. Returns undefined if the whole source is needed. */
export async function withSegmentBytes<Result>(
  part: SegmentPart,
  input: PartialInput,
  transfer: MediaTransfer,
  job: JobContext,
  make: (prepared: Prepared) => Promise<Result>,
): Promise<Result | undefined> {
  const { opening } = part;
  if (opening === undefined) return undefined;
  const use: PartialUse<Result> = {
    scan: async () => opening.scan,
    async use(prepared, packets, bring) {
      const films = filmsOf(prepared.products);
      const { pictures } = prepared.source;
      if (pictures === undefined || digestFilms(films, pictures) !== opening.digest) {
        return { whole: 'its index shows another film than the plan' };
      }
      checkSegment(part, films);
      await bring(segmentPackets(films, pictures, part, packets));
      return { result: await make(prepared) };
    },
  };
  return await withPart(part, part.source, input, use, transfer, job);
}

/**
 * Uses a source of which only the index and some packets are fetched. Returns undefined if the whole source is needed:
 * neither its index nor the plan names the packets, its server does not serve ranges, or the part was not enough.
 */
async function withPart<Result>(
  part: EncodePart,
  identity: SourceIdentity,
  { request, target, prepare }: PartialInput,
  { scan, use }: PartialUse<Result>,
  transfer: MediaTransfer,
  job: JobContext,
): Promise<Result | undefined> {
  const { times, bytes } = plannedBytes(part);
  return await withFile(part, identity, { request, target }, transfer, job, async (file) => {
    const bring: BringPackets = async (packets) => {
      if (!(await bringPackets(file, packets))) throw new MissingPackets();
    };
    if (bytes === undefined) {
      if (!(await bringIndex(file))) return { whole: 'it has no complete and short index' };
      await bring(await listFirstPlaces(target, job.signal));
    } else if (!(await bringMatroska(file, bytes))) throw new MissingPackets();
    let packets: PlacedPacket[] = [];
    const prepared = await prepare({
      scan: (pictures, measure) => scan({ pictures, measure }, packets, bring),
      async list(path, streamIndex, signal) {
        // All bytes that the segment needs are present.
        if (times !== undefined) return unpackTimes(times);
        packets = await listPlacedPackets(path, streamIndex, signal);
        return packets;
      },
    });
    return await use(prepared, packets, bring);
  });
}

/** Uses a source of which only some bytes are fetched. Returns undefined if the whole source is needed. */
async function withFile<Result>(
  part: EncodePart,
  identity: SourceIdentity,
  { request, target }: Pick<PartialInput, 'request' | 'target'>,
  transfer: MediaTransfer,
  job: JobContext,
  use: (file: PartialFile) => Promise<Used<Result>>,
): Promise<Result | undefined> {
  const file = await transfer.openPartial(request, identity, target, job);
  if (file === undefined) return undefined;
  try {
    const used = await use(file);
    if ('result' in used) return used.result;
    job.log.info({ reason: used.whole }, 'The job reads the whole source');
  } catch (error) {
    if (!isOfPart(error, job.signal)) throw error;
    job.log.warn({ error }, 'A part of the source is not enough; the job reads the whole source');
    // A changed source is reported without a download of the whole.
    if (error instanceof CannotGoOn) checkUnchanged(part, await transfer.identify(request, job.signal));
  } finally {
    await file.close();
  }
  return undefined;
}

/** What the plan has found in a whole source whose index does not name the packets. */
function plannedBytes(part: EncodePart): { times?: string; bytes?: readonly ByteRange[] } {
  if (part.kind !== 'segment') return {};
  const { times, bytes } = part;
  return times === undefined || bytes === undefined ? {} : { times, bytes };
}

/** Errors that missing bytes could cause. */
const codesOfPart: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(['undecodable_source', 'source_truncated', 'unsupported_format', 'no_audio', 'no_video'] as const),
  ...(['ffmpeg_failed', 'segment_mismatch'] as const),
]);

/** True if missing bytes may have caused the error. A failed transfer would also fail for the whole source. */
function isOfPart(error: unknown, signal: AbortSignal): boolean {
  if (signal.aborted) return false;
  if (error instanceof MissingPackets || error instanceof CannotGoOn) return true;
  return error instanceof MediaError && codesOfPart.has(error.code) && !endsTheJob(error);
}
