/**
 * Bytes of a frame. ffmpeg's parser gives up on a file whose frames are larger than 160 KiB on average: it finds no
 * packet. The rest is for the header and for side channels, which have one more bit.
 */
const mostFrameBytes = 150_000;

/** Seconds of a frame that ffmpeg's encoder chooses at most. */
const longestFrameSeconds = 0.105;

/** Block sizes with codes of their own (RFC 9639, 9.1.1). */
const blockSizes = [192, 576, 1152, 2304, 4608, 256, 512, 1024, 2048, 4096, 8192, 16_384, 32_768];

/** Samples per channel of a frame, as ffmpeg's encoder chooses them. */
export function flacBlockSize(sampleRate: number): number {
  return Math.max(192, ...blockSizes.filter((size) => size <= Math.floor(longestFrameSeconds * sampleRate)));
}

/** ffmpeg options of the encoder for frames that every reader finds; none if its own choice is small enough (pure). */
export function frameSizeOptions(sampleRate: number, channels: number, bits: number): string[] {
  const most = mostFrameBytes / (channels * (bits / 8));
  return most >= longestFrameSeconds * sampleRate ? [] : ['-frame_size', String(2 ** Math.floor(Math.log2(most)))];
}
