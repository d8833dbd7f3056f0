/** Figures of the benches, as docs/figures.json has them. `npm run docs:tables` writes the documents from that file. */

export const figuresFile = 'docs/figures.json';

/** A ratio is 1 for the side of the comparison; a count has no unit. */
export type Unit = 'ratio' | 'count' | 's' | 'ms' | 'µs' | '%' | 'MiB' | 'KiB' | 'MiB/s' | 'dB' | 'LUFS' | 'per second';

/** Seconds, or the figure's unit, of each round for each side of a comparison. */
export type Sides = Readonly<Record<string, readonly number[]>>;

export interface Row {
  /** Table of the documents. */
  table: string;
  /** First cell of the table's row. */
  what: string;
  /** Column of the table. */
  figure: string;
  unit: Unit;
  median: number;
  rounds: number;
  /** Least and greatest value; undefined for one round, and for a figure whose bench did not print them. */
  spread?: readonly [least: number, greatest: number] | undefined;
  /** Value of each round; undefined for a figure that was carried over from a document. */
  values?: readonly number[];
  sides?: Sides | undefined;
}

export interface Run {
  command: string;
  commit: string;
  /** YYYY-MM-DD */
  date: string;
  cores: number;
  /** The rest of the machine, its load and the versions are unknown for figures that were carried over. */
  machine?: { processor: string; memoryGiB: number };
  /** Load average of the last minute. */
  loadBefore?: number;
  versions?: { node: string; ffmpeg: string; temporal: string };
  rows: Row[];
}

/** The latest run of each bench, by its name in bench/all.ts. */
export type Figures = Record<string, Run>;

/** Whole numbers are kept; others have four significant digits. */
export const rounded = (value: number): number => (Number.isInteger(value) ? value : Number(value.toPrecision(4)));

export function withUnit(value: number, unit: Unit): string {
  const figure = value.toLocaleString('en-US', { maximumFractionDigits: 3 });
  return unit === 'ratio' || unit === 'count' ? figure : `${figure} ${unit}`;
}

/** `0.54 s (0.53 to 0.57)` */
export function textOf({ median, unit, spread }: Row): string {
  const extremes = spread?.map((value) => withUnit(value, 'count')).join(' to ');
  return withUnit(median, unit) + (extremes === undefined ? '' : ` (${extremes})`);
}
