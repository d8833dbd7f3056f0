/**
 * Seconds of bitrate that a rate control may spend at once, the least that players buffer. x264 and x265 keep to it,
 * and their result is verified.
 */
export const bufferSeconds = 2;

/** Share of the buffer that is filled when playback starts: `vbv-init` of x264 and x265. */
const initialFullness = 0.9;

/**
 * Lowest fullness of a player's buffer filled at a constant rate; 1 is full, and below 0 the player stalls. `seconds`
 * are the times at which pictures are removed, in file order.
 */
export function lowestFullness(
  sizes: readonly number[],
  seconds: readonly number[],
  kilobitsPerSecond: number,
): number {
  const buffer = bufferSeconds * kilobitsPerSecond * 1000;
  let fullness = initialFullness * buffer;
  let lowest = fullness;
  let before = seconds[0] ?? 0;
  for (const [index, size] of sizes.entries()) {
    const now = seconds[index] ?? before;
    fullness = Math.min(buffer, fullness + (now - before) * kilobitsPerSecond * 1000) - size * 8;
    lowest = Math.min(lowest, fullness);
    before = now;
  }
  return lowest / buffer;
}
