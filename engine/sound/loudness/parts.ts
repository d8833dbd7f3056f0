import { blocksPerSecond } from './gating.ts';
import type { Measured } from './measure-part.ts';

/** Whole seconds that one process measures, so that the blocks of all parts are aligned. */
export interface MeterPart {
  from: number;
  /** Undefined: to the end. */
  to: number | undefined;
  /** Range that is read, with run-in and run-out. */
  readFrom: number;
  readTo: number | undefined;
}

/** A single part up to the end. */
export const wholePart: MeterPart = { from: 0, to: undefined, readFrom: 0, readTo: undefined };

/** Run-in: the window of 3 s, plus one second in which filters and a limiter forget that they started late. */
const runInSeconds = 4;
/** Run-out in whole seconds. The resampler of the peak meter needs some milliseconds. */
const runOutSeconds = 1;

/** Shorter parts would mostly repeat the measurements of others. */
const leastPartSeconds = 15;

/** Memory of the filters before the meter. */
export interface FilterMemory {
  /** Period after which the filters are in the same state. */
  periodSeconds: number;
  /** Whole seconds before and after a moment that affect it. */
  seconds: number;
}

const noMemory: FilterMemory = { periodSeconds: 1, seconds: 0 };

/** Divides a file into `most` parts, or as many as are worth a process. */
export function planMeterParts(seconds: number, most: number, memory = noMemory): MeterPart[] {
  const { periodSeconds } = memory;
  const count = Math.max(1, Math.min(most, Math.floor(seconds / leastPartSeconds)));
  const cuts = Array.from(
    { length: count },
    (_, index) => Math.round((seconds * index) / count / periodSeconds) * periodSeconds,
  );
  const runIn = Math.ceil((runInSeconds + memory.seconds) / periodSeconds) * periodSeconds;
  return cuts.map((from, index) => {
    const to = cuts[index + 1];
    const readTo = to === undefined ? undefined : to + runOutSeconds + memory.seconds;
    return { from, to, readFrom: Math.max(0, from - runIn), readTo };
  });
}

/** Length of the fade at a cut. A step there would be a peak that the file does not have. */
const fadeSeconds = 0.05;

export function edgeFilters({ readFrom, readTo }: MeterPart): string[] {
  if (readFrom === 0 && readTo === undefined) return [];
  const fadeOutAt = readTo === undefined ? undefined : readTo - readFrom - fadeSeconds;
  return [
    'asetpts=N/SR/TB',
    ...(readFrom === 0 ? [] : [`afade=t=in:d=${fadeSeconds}`]),
    ...(fadeOutAt === undefined ? [] : [`afade=t=out:st=${fadeOutAt.toFixed(3)}:d=${fadeSeconds}`]),
  ];
}

/**
 * Joins the blocks of all parts as a single run would report them. Undefined if a part has a wrong number of blocks.
 */
export function joinMeterParts(parts: readonly MeterPart[], measured: readonly Measured[]): Measured | undefined {
  const momentary: number[] = [];
  const shortTerm: number[] = [];
  for (const [index, { from, to, readFrom }] of parts.entries()) {
    const readings = measured[index];
    const first = (from - readFrom) * blocksPerSecond;
    const last = to === undefined ? undefined : (to - readFrom) * blocksPerSecond;
    if (readings === undefined || readings.momentary.length < (last ?? first)) return undefined;
    for (const block of readings.momentary.slice(first, last)) momentary.push(block);
    for (const block of readings.shortTerm.slice(first, last)) shortTerm.push(block);
  }
  return { momentary, shortTerm, truePeak: Math.max(...measured.map(({ truePeak }) => truePeak)) };
}
