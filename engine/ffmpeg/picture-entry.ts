import { availableParallelism } from 'node:os';

/** Threads of the decoder: each holds pictures of its own, and the encoders take what is left of the cores. */
export const decoderThreads = Math.min(4, availableParallelism());

/** Where the decoder begins, and what has to come out of it. */
export interface PictureEntry {
  /** Of the source's clock, where a key frame is. Undefined: at the beginning. */
  seekSeconds: number | undefined;
  /** Pictures that outputs are made of. */
  frames: number;
}

/** ffmpeg's options of the source (pure). Times stay those of the source, which the plan is made of. */
export function entryOptions({ seekSeconds }: PictureEntry): string[] {
  if (seekSeconds === undefined) return ['-copyts'];
  return ['-copyts', '-seek_timestamp', '1', '-noaccurate_seek', '-ss', seekSeconds.toFixed(6)];
}
