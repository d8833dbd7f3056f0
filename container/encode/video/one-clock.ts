import { join } from 'node:path';
import { finishedFileGuards } from '../../ffmpeg/guards.ts';
import { listPackets } from '../../ffmpeg/packet-list.ts';
import type { JobContext } from '../../jobs/job.ts';
import { runWithinLimits } from '../limited-run.ts';
import type { RunLimits } from '../limits.ts';
import { openSource, type Source } from '../source.ts';
import { findClockJump } from './clock-jump.ts';

/**
 * A transport stream of several recordings in a row as one: a copy in which each begins where the one before it ends. By the stream's own
 * times a recording would be shown in the place of the one before, or dropped. Any other source comes back as it is.
 */
export async function putOnOneClock(source: Source, limits: RunLimits, job: JobContext): Promise<Source> {
  const { pictureStream: stream, path: input } = source;
  if (stream === undefined || source.formatName !== 'mpegts') return source;
  const packets = await listPackets(input, stream.index, job.signal);
  if (findClockJump(packets, stream.timeBase, true) === undefined) return source;
  const path = join(job.folder, 'one-clock');
  const options = ['-map', `0:${stream.index}`, '-map', '0:a?', '-c', 'copy', '-f', 'mpegts'];
  const run = { input, inputOptions: finishedFileGuards('mpegts'), outputs: [{ path, options }] };
  await runWithinLimits(run, limits, job.signal, () => job.advance('probe', undefined));
  return { ...(await openSource(path, limits, job.signal)), tags: source.tags };
}
