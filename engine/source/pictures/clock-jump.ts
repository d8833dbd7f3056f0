import { longestBroadcastGapSeconds } from '../transport-stream/clock-parts.ts';
import { ClockWatch } from '../clock-watch.ts';
import type { Packet } from '../../ffmpeg/packet-list.ts';
import { type Rational, valueOf } from '../../ffmpeg/rational.ts';

/**
 * Seconds by which the clock of a program stream may step back. It stamps one of several adjacent pictures, and where
 * pictures were lost, ffmpeg's estimates for the others are several pictures off.
 */
const estimatedSeconds = 0.25;

/**
 * Time in seconds, on the file's clock, at which its clock restarts or jumps. This happens in consecutive recordings,
 * where pictures of one would replace those of another or lose sync with their sound. Undefined if the clock runs
 * through.
 */
export function findClockJump(packets: readonly Packet[], timeBase: Rational, formatName: string): number | undefined {
  const tick = valueOf(timeBase);
  const isBroadcast = /^mpeg(?:ts)?$/.test(formatName);
  const watch = new ClockWatch(
    isBroadcast ? longestBroadcastGapSeconds / tick : Infinity,
    formatName === 'mpeg' ? estimatedSeconds / tick : 0,
  );
  for (const [at, { pts, dts }] of packets.entries()) {
    const jump = dts === undefined ? undefined : watch.next({ shown: pts ?? dts, decoded: dts, at });
    if (jump !== undefined) return jump.before.decoded * tick;
  }
  return undefined;
}
