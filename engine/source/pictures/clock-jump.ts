import type { Packet } from '../../ffmpeg/packet-list.ts';
import { type Rational, valueOf } from '../../ffmpeg/rational.ts';

/**
 * Packets that are decoded before an earlier packet and shown before the last picture shown. A single one is a damaged
 * timestamp, not another clock. If one recording follows another on the same clock, its first packets are decoded early
 * but shown in turn.
 */
const fewestPackets = 2;

/**
 * In a broadcast stream, ffmpeg takes a longer gap for another clock and removes it from the sound (its
 * `dts_delta_threshold`).
 */
const longestGapSeconds = 10;

/**
 * Time in seconds, on the file's clock, at which its clock restarts or jumps. This happens in consecutive recordings,
 * where pictures of one would replace those of another or lose sync with their sound. Undefined if the clock runs
 * through.
 */
export function findClockJump(
  packets: readonly Packet[],
  timeBase: Rational,
  isBroadcast: boolean,
): number | undefined {
  const tick = valueOf(timeBase);
  const longestGap = isBroadcast ? longestGapSeconds / tick : Infinity;
  let latest = -Infinity;
  let latestShown = -Infinity;
  let early = 0;
  for (const { pts, dts } of packets) {
    if (dts === undefined) continue;
    if (dts <= latest) {
      const shown = pts ?? dts;
      // Cameras repeat the time of the previous picture. That is not a step back.
      if (shown < latestShown || (early > 0 && shown === latestShown)) early += 1;
      if (early >= fewestPackets) return latest * tick;
      continue;
    }
    if (latest !== -Infinity && dts - latest > longestGap) return latest * tick;
    latest = dts;
    latestShown = Math.max(latestShown, pts ?? dts);
    early = 0;
  }
  return undefined;
}
