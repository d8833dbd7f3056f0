/** Prints the rows of a bench. If `FIGURES_FILE` names a file, the rows are appended to it, one JSON object a line. */
import { appendFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import type { Cost } from './cost.ts';
import { type Row, rounded, type Sides, textOf, type Unit, withUnit } from './figures.ts';
import { median } from './median.ts';
import { isAbout, targets } from './targets.ts';

/** Value of each round, and what was measured on each side of a comparison. */
interface Figure {
  unit: Unit;
  values: readonly number[];
  sides?: Sides | undefined;
}

const [loadBefore = 0] = loadavg();
console.log(`Load of the machine before: ${loadBefore.toFixed(1)}`);
if (loadBefore > 1) console.warn('The machine is busy: times are too long, and their ratios uncertain.');

/** Prints a row of a table, whose columns are the figures: the median of all rounds, with the extremes. */
export function report(table: string, what: string, figures: Record<string, Figure>): void {
  const rows = Object.entries(figures).map(([figure, { unit, values, sides }]): Row => {
    const own = values.map(rounded);
    const spread = own.length > 1 ? ([Math.min(...own), Math.max(...own)] as const) : undefined;
    const middle = rounded(median(values));
    return { table, what, figure, unit, median: middle, rounds: own.length, spread, values: own, sides };
  });
  console.log(`${what}: ${rows.map((row) => `${row.figure} ${textOf(row)}${askedOf(row)}`).join(', ')}`);
  for (const { figure, sides = {} } of rows) {
    for (const [side, values] of Object.entries(sides)) console.log(`  ${figure}, ${side}: ${values.join(' ')}`);
  }
  const file = process.env['FIGURES_FILE'];
  if (file !== undefined) appendFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}

function askedOf(row: Row): string {
  const target = targets.find((one) => isAbout(row, one));
  return target === undefined ? '' : ` [at most ${withUnit(target.atMost, target.unit)}]`;
}

export const inUnit = (unit: Unit, ...values: readonly number[]): Figure => ({ unit, values });

/** Compares two sides round by round. */
export function compare(
  unit: Unit,
  ours: readonly number[],
  theirs: readonly number[],
  of: (own: number, other: number) => number,
  name = 'ffmpeg',
): Figure {
  const values = ours.map((own, round) => of(own, theirs[round] ?? Number.NaN));
  return { unit, values, sides: { Holdfast: ours.map(rounded), [name]: theirs.map(rounded) } };
}

export const ratio = (ours: readonly number[], theirs: readonly number[], name?: string): Figure =>
  compare('ratio', ours, theirs, (own, other) => own / other, name);

const wall = (costs: readonly Cost[]): number[] => costs.map(({ wallSeconds }) => wallSeconds);
const cpu = (costs: readonly Cost[]): number[] => costs.map(({ cpuSeconds }) => cpuSeconds);

/** Time and processor time as a share of the other side's. */
export const ratios = (ours: readonly Cost[], theirs: readonly Cost[], name?: string) => ({
  time: ratio(wall(ours), wall(theirs), name),
  CPU: ratio(cpu(ours), cpu(theirs), name),
});

/** Seconds beyond `share` of the other side's time. */
export const more = (ours: readonly Cost[], theirs: readonly Cost[], share = 1): Figure => {
  const others = wall(theirs);
  return inUnit('s', ...wall(ours).map((own, round) => own - share * (others[round] ?? Number.NaN)));
};
