import type { OutputSettings } from '../../../contract/output-settings.ts';
import { ServiceError } from '../../errors.ts';
import type { Source } from '../source.ts';
import { listPackets } from '../../ffmpeg/packet-list.ts';
import type { JobContext } from '../../jobs/job.ts';
import type { RunLimits } from '../limits.ts';
import type { SourceLimits } from '../source-limits.ts';
import { putOnOneClock } from './one-clock.ts';
import { readPictures, requirePictures } from './picture-source.ts';

/** The source with the time of each picture, where an output has pictures. */
export async function openPictures(
  source: Source,
  outputs: readonly OutputSettings[],
  limits: RunLimits & SourceLimits,
  job: JobContext,
): Promise<Source> {
  if (outputs.every(({ video, filmImage }) => video === undefined && filmImage === undefined)) return source;
  if (source.audio?.isDecoded === true) {
    throw new ServiceError(
      'unsupported_format',
      'The source is several files in a row. Their sound can be joined, and their pictures cannot.',
    );
  }
  const whole = await putOnOneClock(source, limits, job);
  const stream = requirePictures(whole.pictureStream);
  const packets = await listPackets(stream.path, stream.index, job.signal);
  return { ...whole, pictures: await readPictures(stream, packets, job.signal) };
}
