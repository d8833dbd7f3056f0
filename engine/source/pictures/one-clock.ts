import { join } from 'node:path';
import { finishedFileGuards } from '../../ffmpeg/guards.ts';
import type { Packet } from '../../ffmpeg/packet-list.ts';
import type { Work } from '../../work.ts';
import { runWithinLimits } from '../../ffmpeg/limited-run.ts';
import type { RunLimits } from '../../ffmpeg/limits.ts';
import { openSource, type Source } from '../source.ts';
import { findClockJump } from './clock-jump.ts';
import type { PictureStream } from './picture-source.ts';

/**
 * Copies a transport stream of several consecutive recordings so that each starts where the previous one ends. By the
 * stream's own times, a recording would replace the previous one or be dropped. Undefined for any other source.
 * `packets` are those of the pictures.
 */
export async function joinClocks(
  source: Source,
  stream: PictureStream,
  packets: readonly Packet[],
  limits: RunLimits,
  job: Work,
): Promise<Source | undefined> {
  const { path: input, formatName } = source;
  if (formatName !== 'mpegts' || findClockJump(packets, stream.timeBase, true) === undefined) return undefined;
  const path = join(job.folder, 'one-clock');
  const options = ['-map', `0:${stream.index}`, '-map', '0:a?', '-c', 'copy', '-f', 'mpegts'];
  const run = { input, inputOptions: finishedFileGuards('mpegts'), outputs: [{ path, options }] };
  await runWithinLimits(run, limits, job.signal, () => job.advance('probe', undefined));
  return { ...(await openSource(path, limits, job.signal)), tags: source.tags };
}
