import { blocksPerSecond } from './gating.ts';
import type { Measured } from './measure-part.ts';

/** Seconds of a whole that one process measures. They are whole, so that the blocks of all parts lie on one grid. */
export interface MeterPart {
  from: number;
  /** undefined: to the end */
  to: number | undefined;
  /** What is read for it, with the seconds around its own. */
  readFrom: number;
  readTo: number | undefined;
}

/** Before a part: the window of 3 s, and one for the filters and a limiter to forget that they began later. */
const runInSeconds = 4;
/** After it: whole seconds, and the resampler of the peak's measure needs some milliseconds. */
const runOutSeconds = 1;

/** Shorter parts would mostly measure what others measure. */
const leastPartSeconds = 15;

/** Of filters before the meter. */
export interface FilterMemory {
  /** They begin anew after every so many seconds. */
  periodSeconds: number;
  /** What they make of a moment depends on so many whole seconds before and behind it. */
  seconds: number;
}

const noMemory: FilterMemory = { periodSeconds: 1, seconds: 0 };

/** So many parts, or as many as are worth a process (pure). */
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

/** Seconds over which a part fades where it is cut: a step there would be a peak that the whole has not. */
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

/** The blocks of all parts as one run would have them. Undefined where a part has not as many as it is long (pure). */
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
