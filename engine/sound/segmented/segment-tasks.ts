import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { PoolTask } from '../../pool.ts';
import type { EncodedFile, EncodeTarget } from '../../plan/encoded-file.ts';
import { joinExactly } from './join/join-exactly.ts';
import type { SplitOutputPlan } from './plan.ts';
import { encodeSegment, type SegmentedJob } from './segment-encode.ts';

export interface SegmentTask {
  /** Seconds of the source that are read; undefined `toSeconds`: to the end. */
  fromSeconds: number;
  toSeconds: number | undefined;
  run(signal: AbortSignal, onAdvance: (mediaSeconds: number) => void): ReturnType<PoolTask>;
}

/**
 * Tasks that make the job's `index`-th output, or a range of it: one per segment. The last to finish joins them to a
 * file that begins with the first segment's run-in.
 */
export function createSegmentTasks(
  job: SegmentedJob,
  index: number,
  { plan, path }: EncodeTarget,
  { audio, codec, grid, segments }: SplitOutputPlan,
  onJoined: (file: EncodedFile) => void,
): SegmentTask[] {
  const [first] = segments;
  const base = first === undefined ? 0 : first.cut - first.runIn;
  const files = segments.map((segment, number) => {
    return { ...segment, cut: segment.cut - base, path: join(job.folder, `${index}-${number}`) };
  });
  let unfinished = files.length;
  let totalSamples = 0;

  const joinFiles = async (): Promise<void> => {
    const { parts, seams, seamFrames } = await joinExactly(codec, files, path, totalSamples, grid.outputRate);
    for (const file of files) await rm(file.path, { force: true });
    const isMended = job.input.kind === 'pcm' && job.input.raw.isMended;
    const streams = { audio: { seconds: totalSamples / grid.outputRate, isMended } };
    onJoined({ streams, segments: files.length, seams, seamFrames, ...(parts !== undefined && { parts }) });
  };

  return files.map((segment): SegmentTask => {
    const { sourceFrom, sourceTo } = segment;
    return {
      fromSeconds: sourceFrom / grid.sourceRate,
      toSeconds: sourceTo === undefined ? undefined : sourceTo / grid.sourceRate,
      async run(signal, onAdvance) {
        const samples = await encodeSegment(job, segment, audio, { plan, path: segment.path }, signal, onAdvance);
        if (segment === files.at(-1)) totalSamples = segment.outputFrom - base * grid.frameSamples + samples;
        unfinished -= 1;
        if (unfinished === 0) await joinFiles();
      },
    };
  });
}
