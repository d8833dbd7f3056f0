/** A mark on an axis. */
export interface Tick {
  /** Place on the axis: 0 to 1. */
  at: number;
  words: string;
}

const [minute, hour, day] = [60, 3600, 86_400];
const secondSteps = [
  ...[0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute],
  ...[hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour, day, 2 * day, 7 * day],
];

/** Most parts into which the axis of times is divided, and the axis of values. */
const [mostTimes, mostValues] = [4, 3];

/** The shortest step that divides the span into at most `most` parts. */
function stepOf(span: number, most: number, steps: readonly number[]): number {
  return steps.find((step) => span / step <= most) ?? span;
}

function multiples(step: number, from: number, to: number): number[] {
  const [first, last] = [Math.ceil(from / step), Math.floor(to / step)];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => (first + index) * step);
}

/** Round seconds from 0 on. `least` is the shortest step that the words can show. */
export function spanTicks(seconds: number, wordsOf: (seconds: number) => string, least = 0): Tick[] {
  if (!Number.isFinite(seconds) || seconds <= 0) return [];
  const steps = secondSteps.filter((step) => step >= least);
  return multiples(stepOf(seconds, mostTimes, steps), 0, seconds).map((at) => ({
    at: at / seconds,
    words: wordsOf(at),
  }));
}

/** Round values of 1, 2 and 5 times a power of ten, from the bottom (1) to the top (0) of a chart. */
export function valueTicks(from: number, to: number, wordsOf: (value: number) => string): Tick[] {
  const power = 10 ** Math.max(0, Math.floor(Math.log10((to - from) / mostValues)));
  const step = stepOf(
    to - from,
    mostValues,
    [1, 2, 5, 10].map((factor) => factor * power),
  );
  return multiples(step, from, to).map((value) => ({ at: (to - value) / (to - from), words: wordsOf(value) }));
}

/** Full hours or minutes of the local day. */
export function dayTicks(fromMs: number, toMs: number, wordsOf: (iso: string) => string): Tick[] {
  const step = stepOf(
    (toMs - fromMs) / 1000,
    mostTimes,
    secondSteps.filter((seconds) => seconds >= minute),
  );
  const start = new Date(fromMs);
  // Local arithmetic, because a day may have 23 or 25 hours.
  const momentOf = (seconds: number): Date =>
    new Date(start.getFullYear(), start.getMonth(), start.getDate(), 0, 0, seconds);
  return multiples(step, 0, (toMs - momentOf(0).getTime()) / 1000 + hour)
    .map(momentOf)
    .filter((moment) => moment.getTime() >= fromMs && moment.getTime() <= toMs)
    .map((moment) => ({ at: (moment.getTime() - fromMs) / (toMs - fromMs), words: wordsOf(moment.toISOString()) }));
}
