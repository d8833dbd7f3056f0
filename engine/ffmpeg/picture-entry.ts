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

/** ffmpeg input options that enter at a key frame. Times stay on the source's clock only with `-copyts`. */
export function seekOptions(seconds: number | undefined): string[] {
  return seconds === undefined ? [] : ['-seek_timestamp', '1', '-noaccurate_seek', '-ss', seconds.toFixed(6)];
}
