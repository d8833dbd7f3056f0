import type { MediaFacts } from '../../../contract/http/media.ts';
import type { OutputSettings } from '../../../contract/output-settings.ts';
import { ServiceError } from '../../errors.ts';
import { listPackets } from '../../ffmpeg/packet-list.ts';
import type { JobContext } from '../../jobs/job.ts';
import type { RunLimits } from '../limits.ts';
import { describeTiming } from '../media-facts.ts';
import type { Source } from '../source.ts';
import type { SourceLimits } from '../source-limits.ts';
import { readMastering } from './mastering.ts';
import { putOnOneClock } from './one-clock.ts';
import { type PictureSource, type PictureStream, readPictures, requirePictures } from './picture-source.ts';

/** The source with the time of each picture, where an output has pictures. */
export async function openPictures(
  source: Source,
  outputs: readonly OutputSettings[],
  limits: RunLimits & SourceLimits,
  job: JobContext,
): Promise<Source> {
  if (outputs.every(({ video, filmImage }) => video === undefined && filmImage === undefined)) {
    const isReported = outputs.some(({ analysis }) => analysis?.kind === 'report');
    return isReported ? { ...source, facts: await timeFacts(source, job.signal) } : source;
  }
  if (source.audio?.isDecoded === true) {
    throw new ServiceError(
      'unsupported_format',
      'The source is several files in a row. Their sound can be joined, and their pictures cannot.',
    );
  }
  const whole = await putOnOneClock(source, limits, job);
  const timed = await timePicturesOf(whole.pictureStream, job.signal);
  // Only what is in PQ says so of itself.
  const mastering =
    timed.colour.transfer === 'smpte2084' ? await readMastering(timed.path, timed.index, job.signal) : undefined;
  const pictures = { ...timed, ...(mastering !== undefined && { mastering }) };
  return { ...whole, pictures, facts: { ...whole.facts, pictures: describeTiming(pictures) } };
}

async function timePicturesOf(pictureStream: PictureStream | undefined, signal: AbortSignal): Promise<PictureSource> {
  const stream = requirePictures(pictureStream);
  return await readPictures(stream, await listPackets(stream.path, stream.index, signal), signal);
}

/** For a report of the sound, which pictures that cannot be used do no harm. */
async function timeFacts({ facts, pictureStream }: Source, signal: AbortSignal): Promise<MediaFacts> {
  if (pictureStream === undefined) return facts;
  try {
    return { ...facts, pictures: describeTiming(await timePicturesOf(pictureStream, signal)) };
  } catch (error) {
    if (!(error instanceof ServiceError) || signal.aborted) throw error;
    return facts;
  }
}
