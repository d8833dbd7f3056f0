import { availableParallelism } from 'node:os';

/** Threads of the decoder. Each holds pictures of its own, and the encoders take the remaining cores. */
export const decoderThreads = Math.min(4, availableParallelism());

/** Where the decoder starts, and how many pictures it must yield. */
export interface PictureEntry {
  /** Time of a key frame on the source's clock; undefined for the start of the source. */
  seekSeconds: number | undefined;
  /** Number of pictures that outputs are made of. */
  frames: number;
}

/** ffmpeg input options of the source. Times stay on the source's clock, on which the plan is based. */
export function entryOptions({ seekSeconds }: PictureEntry): string[] {
  if (seekSeconds === undefined) return ['-copyts'];
  return ['-copyts', '-seek_timestamp', '1', '-noaccurate_seek', '-ss', seekSeconds.toFixed(6)];
}
