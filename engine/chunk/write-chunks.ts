import { join } from 'node:path';
import { cutToleranceSeconds, type PlannedChunk } from '../../contract/chunk-plan.ts';
import type { EncodeLimits } from '../ffmpeg/limits.ts';
import type { AudioSource } from '../source/source.ts';
import { decodeGuards } from '../ffmpeg/guards.ts';
import { measureWithHoles } from '../ffmpeg/measure.ts';
import { runFfmpeg } from '../ffmpeg/run.ts';
import type { Work } from '../work.ts';
import { runPool, type PoolTask } from '../pool.ts';
import { chunkOptions } from './cut.ts';
import type { PreparedCut } from './prepare-cut.ts';

export interface WrittenChunk {
  planned: PlannedChunk;
  path: string;
  /** Seconds of the decoded chunk. */
  duration: number;
  /** Seconds of sound that players play in the chunk, which is more if its time stamps go back. */
  soundSeconds: number;
}

/** Writes every chunk into the job's folder and decodes it, on every core. */
export async function writeChunks(
  planned: readonly PlannedChunk[],
  /** The last chunk ends with the source. */
  lastIndex: number,
  { cut, samples }: PreparedCut,
  source: Pick<AudioSource, 'path' | 'sampleRate'>,
  limits: EncodeLimits,
  job: Work,
): Promise<WrittenChunk[]> {
  const toSample = (seconds: number): number => Math.round(seconds * source.sampleRate);
  let done = 0;
  const tasks = planned.map((chunk): PoolTask<WrittenChunk> => async (signal) => {
    const isLast = chunk.index === lastIndex;
    const path = join(job.folder, `chunk-${chunk.index}`);
    const options = chunkOptions(chunk, isLast, cut);
    const part = await samples?.part(
      toSample(chunk.start),
      isLast ? undefined : toSample(chunk.start + chunk.duration),
      signal,
    );
    await runFfmpeg({
      ...(part ?? { input: source.path, inputOptions: [...decodeGuards, ...options.input] }),
      outputs: [{ path, options: options.output }],
      limits,
      signal,
      onProgress: ({ speed }) => job.advance('chunk', undefined, speed),
    });
    const { seconds: duration, soundSeconds } = await measureWithHoles(path, { limits, signal });
    done += 1;
    job.advance('chunk', done / planned.length);
    return { planned: chunk, path, duration, soundSeconds };
  });
  job.advance('chunk', 0);
  return await runPool(tasks, limits.encodeParallelism, job.signal);
}

/**
 * Each end that is a cut may be off by the tolerance. Copies of packets that an edit list hides in the middle are too
 * long. If an edit list hides less than the decoder's delay of an mp3, ffmpeg 5.1 writes an Info frame that hides 4,096
 * samples too many.
 */
export function hasPlannedLength({ planned, duration, soundSeconds }: WrittenChunk): boolean {
  const most = (planned.start === 0 ? 1 : 2) * cutToleranceSeconds;
  return [duration, soundSeconds].every((seconds) => Math.abs(seconds - planned.duration) <= most);
}
