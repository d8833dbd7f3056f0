import type { Packet } from '../../ffmpeg/packet-list.ts';
import { type Rational, valueOf } from '../../ffmpeg/rational.ts';

/**
 * Packets that are decoded earlier than one before them, and shown before what was shown last; a single one is a damaged stamp, and no other
 * clock. Where one recording follows on another of the same clock, the first packets of it are decoded early, and shown when it is their turn.
 */
const fewestPackets = 2;

/** In a broadcast's stream ffmpeg takes more than this for another clock, and removes it from the sound (its `dts_delta_threshold`). */
const longestGapSeconds = 10;

/**
 * Seconds, as the file counts them, at which its clock begins anew or jumps: several recordings in a row, of which the pictures of one
 * would be shown in the place of another's, or beside their sound (pure). Undefined where it goes on from the first picture to the last.
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
      // Cameras give pictures the time of the one before: that is no way back.
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
