/**
 * A rate control that may spend two seconds of its bitrate at once: what players buffer at least. x264 and x265 keep to it, and what
 * they wrote is looked at again.
 */
export const bufferSeconds = 2;

/** Part of the buffer that is full where playing begins: x264's and x265's `vbv-init`. */
const initialFullness = 0.9;

/**
 * How far the buffer of a player empties that is filled at a constant rate, of 1 where it is full; below 0 the player stops and
 * waits (pure). `seconds`: when each picture is taken out of it, in the order of the file.
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
