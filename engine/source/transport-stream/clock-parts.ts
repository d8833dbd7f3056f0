import { type ClockJump, ClockWatch } from '../clock-watch.ts';
import type { FilePart } from '../../formats/joined-parts.ts';
import { WindowedFile } from '../../formats/windowed-file.ts';
import {
  countOf,
  findStride,
  findUnitTimes,
  readTicks,
  streamOf,
  ticksBetween,
  ticksPerSecond,
  visitPackets,
} from './packet.ts';

/**
 * A longer gap is taken for another clock, as in ffmpeg (its `dts_delta_threshold`), because a broadcast's clock may
 * jump.
 */
export const longestBroadcastGapSeconds = 10;

const longestGap = longestBroadcastGapSeconds * ticksPerSecond;

/** Bytes that are read at once. */
export const blockBytes = 2 ** 20;

/** Bytes whose packets reveal their distance. */
export const headBytes = 4096;

interface StreamClock {
  watch: ClockWatch;
  isPictures: boolean;
  units: number;
  /** Last time in the file, and the same on a clock that does not wrap. */
  raw: number;
  decoded: number;
  jumps: ClockJump[];
}

/**
 * Finds the parts of a transport stream that have clocks of their own: recordings that were concatenated, and
 * broadcasts whose clock restarts. Returns one part if the clock runs through.
 */
export async function findClockParts(path: string, signal: AbortSignal): Promise<FilePart[]> {
  return await WindowedFile.use(path, async (file) => {
    const stride = findStride(await file.read(0, headBytes));
    const scan = new ClockScan();
    if (stride === undefined) return [{ from: 0, to: file.size }];
    for (let from = 0, used = 1; used > 0; from += used) {
      signal.throwIfAborted();
      const block = await file.read(from, blockBytes);
      used = visitPackets(block, stride, (at) => scan.add(block, at, from));
    }
    const cuts = [0, ...scan.starts(), file.size];
    return cuts.slice(1).map((to, index) => ({ from: cuts[index] ?? 0, to }));
  });
}

/** Reads the clocks of all streams. */
class ClockScan {
  readonly #clocks = new Map<number, StreamClock>();
  readonly #counts = new Map<number, number>();
  /** Positions of packets that do not continue their stream. */
  readonly #breaks: number[] = [];

  /** Reads the packet at a position of a block that begins at `from` in the file. */
  add(block: Buffer, at: number, from: number): void {
    const stream = streamOf(block, at);
    const count = countOf(block, at);
    if (count !== undefined) {
      const last = this.#counts.get(stream) ?? count;
      // A packet may be sent twice.
      if (count !== last && count !== (last + 1) % 16) this.#breaks.push(from + at);
      this.#counts.set(stream, count);
    }
    const times = findUnitTimes(block, at);
    if (times === undefined) return;
    const shown = readTicks(block, times.shownAt);
    const raw = times.decodedAt === undefined ? shown : readTicks(block, times.decodedAt);
    const clock = this.#clockOf(stream, times.kind, raw);
    const decoded = clock.decoded + ticksBetween(clock.raw, raw);
    const jump = clock.watch.next({ decoded, shown: decoded + ticksBetween(raw, shown), at: from + at });
    if (jump !== undefined) clock.jumps.push(jump);
    Object.assign(clock, { raw, decoded, units: clock.units + 1 });
  }

  #clockOf(stream: number, kind: number, raw: number): StreamClock {
    const known = this.#clocks.get(stream);
    if (known !== undefined) return known;
    const isPictures = kind >= 0xe0 && kind <= 0xef;
    const clock = { watch: new ClockWatch(longestGap), isPictures, units: 0, raw, decoded: raw, jumps: [] };
    this.#clocks.set(stream, clock);
    return clock;
  }

  /** Positions at which another clock starts. */
  starts(): number[] {
    const clocks = [...this.#clocks.values()].toSorted((one, other) => other.units - one.units);
    const { jumps = [] } = clocks.find(({ isPictures }) => isPictures) ?? clocks[0] ?? {};
    return jumps.filter((jump, index) => !isDamage(jump, jumps[index - 1], jumps[index + 1])).map(this.#startOf);
  }

  /** The first packet of a recording continues none of the previous one. */
  readonly #startOf = ({ before, after }: ClockJump): number =>
    this.#breaks.find((at) => at > before.at && at <= after.at) ?? after.at;
}

/** True if the clock returns to where it was: a timestamp is damaged. */
function isDamage(jump: ClockJump, previous: ClockJump | undefined, next: ClockJump | undefined): boolean {
  const returns = (from: ClockJump, to: ClockJump): boolean => {
    const gap = to.after.decoded - from.before.decoded;
    return gap > 0 && gap <= longestGap && to.before.at === from.after.at;
  };
  return (previous !== undefined && returns(previous, jump)) || (next !== undefined && returns(jump, next));
}
