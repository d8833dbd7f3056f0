import type { MediaFacts } from '../../../contract/http/media.ts';
import { fileSettingsOf, type OutputSettings } from '../../../contract/output-settings.ts';
import { videoCodecFacts } from '../../../contract/video-codecs.ts';
import { MediaError } from '../../media-error.ts';
import { listPackets, type Packet } from '../../ffmpeg/packet-list.ts';
import type { Work } from '../../work.ts';
import type { RunLimits } from '../../ffmpeg/limits.ts';
import { runBoth } from '../../pool.ts';
import { describeTiming } from '../describe-timing.ts';
import type { Source } from '../source.ts';
import type { SourceLimits } from '../../ffmpeg/source-limits.ts';
import { storesAlphaBeside } from './alpha-beside.ts';
import { onFilmClock } from './film-clock.ts';
import { saysOfSource } from '../../left-out.ts';
import { describeOrder } from './decoding-order.ts';
import { listIndexedPackets } from './indexed-packets.ts';
import {
  type PictureSource,
  type PictureStream,
  readPictures,
  type TimedPictures,
  timePictures,
} from './picture-source.ts';
import { requirePictures } from './require-pictures.ts';
import { describeFields } from './stored-fields.ts';
import type { Scan } from './scan/judge-scan.ts';
import { isTelevision, measureScan } from './scan/measure-scan.ts';

/** How the pictures of a partial file are opened. */
export interface PartialPictures {
  /** Returns a known scan, or fetches the necessary packets and measures the scan. */
  scan(pictures: TimedPictures, measure: () => Promise<Scan | undefined>): Promise<Scan | undefined>;
  list(path: string, streamIndex: number, signal: AbortSignal): Promise<Packet[]>;
}

/** Adds the time of each picture if an output has pictures. Optional outputs can do without. */
export async function openPictures(
  source: Source,
  outputs: readonly OutputSettings[],
  limits: RunLimits & SourceLimits,
  job: Work,
  partial?: PartialPictures,
): Promise<Source> {
  const pictured = outputs.filter((output) => isOfPictures(output, source));
  if (pictured.length === 0 || !pictured.every(isOptional)) {
    return await openNeeded(source, outputs, limits, job, partial);
  }
  try {
    return await openNeeded(source, outputs, limits, job, partial);
  } catch (error) {
    if (!saysOfSource(error, job.signal)) throw error;
    const others = outputs.filter((output) => !pictured.includes(output));
    return { ...(await openNeeded(source, others, limits, job, partial)), picturesProblem: error };
  }
}

const isOptional = (output: OutputSettings): boolean => 'isOptional' in output && output.isOptional;

const isReport = (output: OutputSettings): boolean => output.kind === 'analysis' && output.analysis.kind === 'report';

function isOfPictures(output: OutputSettings, { audio, pictureStream }: Source): boolean {
  switch (output.kind) {
    case 'file':
      return output.video !== undefined;
    case 'package':
      return output.common.video !== undefined;
    case 'image':
      return true;
    case 'analysis':
      // The report of a film without sound describes its pictures.
      return isReport(output) && audio === undefined && pictureStream !== undefined;
  }
}

async function openNeeded(
  source: Source,
  outputs: readonly OutputSettings[],
  limits: RunLimits & SourceLimits,
  job: Work,
  partial: PartialPictures | undefined,
): Promise<Source> {
  if (!outputs.some((output) => isOfPictures(output, source))) {
    return outputs.some(isReport) ? { ...source, facts: await timeFacts(source, job.signal) } : source;
  }
  if (source.audio?.isDecoded === true && source.audio.path === source.path) {
    throw new MediaError(
      'unsupported_format',
      'The source is several concatenated files. Their sound can be joined, but their pictures cannot.',
    );
  }
  const timed = await timePicturesOf(source.pictureStream, job.signal, partial?.list);
  const findScan = async (signal: AbortSignal): Promise<Scan | undefined> => {
    if (!needsScan(outputs) || !isTelevision(timed)) return undefined;
    const measure = (): Promise<Scan | undefined> => measureScan(timed, limits, { ...job, signal });
    return await (partial?.scan(timed, measure) ?? measure());
  };
  // A partial source is written while its scan is found.
  const width = partial === undefined ? 2 : 1;
  const [read, scan] = await runBoth((either) => readPictures(timed, either), findScan, job.signal, width);
  const isOpaque =
    timed.hasAlphaBeside === true &&
    keepsAlpha(outputs) &&
    !(await storesAlphaBeside(timed.path, timed.index, job.signal));
  const pictures: PictureSource = {
    ...{ ...read, scan },
    ...(isOpaque && { hasAlphaBeside: undefined }),
    ...(partial !== undefined && { isPartial: true }),
  };
  return { ...onFilmClock(source, pictures), pictures, facts: { ...source.facts, pictures: describeTiming(pictures) } };
}

/** True if an output depends on whether the pictures are interlaced. */
function needsScan(outputs: readonly OutputSettings[]): boolean {
  const videos = outputs.flatMap((output) => fileSettingsOf(output).flatMap(({ video }) => video ?? []));
  return outputs.some(({ kind }) => kind === 'image') || videos.some(({ deinterlace }) => deinterlace !== false);
}

/** True if an output has every sample of the source, and with them any transparency. */
export function keepsAlpha(outputs: readonly OutputSettings[]): boolean {
  const videos = outputs.flatMap((output) => fileSettingsOf(output).flatMap(({ video }) => video ?? []));
  return videos.some(({ codec, pixelFormat }) => videoCodecFacts(codec).isLossless && pixelFormat === undefined);
}

async function timePicturesOf(
  pictureStream: PictureStream | undefined,
  signal: AbortSignal,
  list?: PartialPictures['list'],
): Promise<TimedPictures> {
  // A partial source has its first packets.
  const stream = await describeFields(requirePictures(pictureStream), signal);
  // The index does not state how long a field lasts.
  const isIndexed = list === undefined && stream.storesFields === undefined;
  const indexed = isIndexed ? await listIndexedPackets(stream) : undefined;
  const time = async (packets: readonly Packet[]): Promise<TimedPictures> =>
    timePictures(await describeOrder(stream, packets, signal), packets);
  const timed = indexed && (await time(indexed));
  // If the rate varies, only ffprobe states for how long the last picture is shown.
  if (timed?.constantRate !== undefined) return timed;
  return await time(await (list ?? listPackets)(stream.path, stream.index, signal));
}

/** Serves a report of the sound, which unusable pictures do not affect. */
async function timeFacts({ facts, pictureStream }: Source, signal: AbortSignal): Promise<MediaFacts> {
  if (pictureStream === undefined) return facts;
  try {
    const pictures = await readPictures(await timePicturesOf(pictureStream, signal), signal);
    return { ...facts, pictures: describeTiming(pictures) };
  } catch (error) {
    if (!(error instanceof MediaError) || signal.aborted) throw error;
    return facts;
  }
}
