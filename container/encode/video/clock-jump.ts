import type { Packet } from '../../ffmpeg/packet-list.ts';
import { type Rational, valueOf } from './rational.ts';

/** Packets that are decoded earlier than one before them; a single one is a damaged stamp, and no other clock. */
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
  let early = 0;
  for (const { dts } of packets) {
    if (dts === undefined) continue;
    if (dts <= latest) {
      early += 1;
      if (early >= fewestPackets) return latest * tick;
      continue;
    }
    if (latest !== -Infinity && dts - latest > longestGap) return latest * tick;
    latest = dts;
    early = 0;
  }
  return undefined;
}
