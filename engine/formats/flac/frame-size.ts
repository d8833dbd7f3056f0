/**
 * Bytes of a frame. ffmpeg's parser gives up on a file whose frames are larger than 160 KiB on average: it finds no
 * packet. The rest is for the header and for side channels, which have one more bit.
 */
const mostFrameBytes = 150_000;

/** Seconds of a frame that ffmpeg's encoder chooses at most. */
const longestFrameSeconds = 0.105;

/** ffmpeg options of the encoder for frames that every reader finds; none if its own choice is small enough (pure). */
export function frameSizeOptions(sampleRate: number, channels: number, bits: number): string[] {
  const most = mostFrameBytes / (channels * (bits / 8));
  return most >= longestFrameSeconds * sampleRate ? [] : ['-frame_size', String(2 ** Math.floor(Math.log2(most)))];
}
