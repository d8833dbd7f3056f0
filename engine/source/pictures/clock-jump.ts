import { longestBroadcastGapSeconds } from '../transport-stream/clock-parts.ts';
import { ClockWatch } from '../clock-watch.ts';
import type { Packet } from '../../ffmpeg/packet-list.ts';
import { type Rational, valueOf } from '../../ffmpeg/rational.ts';

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
  const watch = new ClockWatch(isBroadcast ? longestBroadcastGapSeconds / tick : Infinity);
  for (const [at, { pts, dts }] of packets.entries()) {
    const jump = dts === undefined ? undefined : watch.next({ shown: pts ?? dts, decoded: dts, at });
    if (jump !== undefined) return jump.before.decoded * tick;
  }
  return undefined;
}
