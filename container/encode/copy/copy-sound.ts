import { containers, type ContainerName } from '../../../contract/formats.ts';
import { decodeGuards } from '../../ffmpeg/guards.ts';
import { runFfmpeg } from '../../ffmpeg/run.ts';
import type { JobContext } from '../../jobs/job.ts';
import type { RunLimits } from '../limits.ts';
import { readPacketTimes } from './stream-times.ts';

export interface SoundCopy {
  input: string;
  track: number;
  /** where the output begins on the clock of the source */
  startSeconds: number;
  path: string;
  container: ContainerName;
  /** kbit/s, at most */
  bitrate: number | undefined;
}

/** Of sound that was copied: a reason why it cannot be taken, or its seconds. */
export type CopiedSound = { problem: string } | { seconds: number; packets: number };

/** Sound and pictures are in step to this. */
const toleranceSeconds = 0.001;

/** Averages of encoders are near what was asked for. */
const bitrateTolerance = 1.1;

/** Copies the packets of a track into a file of its own, on the clock of the output, and compares the times of all of them. */
export async function copySound(
  { input, track, startSeconds, path, container, bitrate }: SoundCopy,
  limits: RunLimits,
  { signal }: Pick<JobContext, 'signal'>,
): Promise<CopiedSound> {
  const source = await readPacketTimes(input, track, signal);
  const seconds = source.end - source.shownStart;
  if (bitrate !== undefined && (source.bytes * 8) / 1000 / seconds > bitrate * bitrateTolerance) {
    return { problem: `the source's sound has more than ${bitrate} kbit/s` };
  }
  const { muxer, muxerOptions } = containers[container];
  const options = ['-map', `0:a:${track}`, '-map_metadata', '-1', '-map_chapters', '-1', '-c:a', 'copy'];
  await runFfmpeg({
    input,
    inputOptions: [...decodeGuards, '-copyts', '-itsoffset', (-startSeconds).toFixed(6)],
    outputs: [{ path, options: [...options, ...muxerOptions, '-f', muxer] }],
    ...{ limits, signal, onProgress: () => {} },
  });
  const copied = await readPacketTimes(path, 0, signal);
  const isInPlace = copied.starts.every(
    (start, index) => Math.abs(start - ((source.starts[index] ?? NaN) - startSeconds)) <= toleranceSeconds,
  );
  if (copied.starts.length !== source.starts.length || !isInPlace) {
    return { problem: "the packets of the source's sound do not come out in their places" };
  }
  return { seconds, packets: copied.starts.length };
}
