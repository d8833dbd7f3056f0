import { sparkLine } from './spark-line.ts';

/** LUFS at the bottom and top. */
const range = { from: -50, to: -5 };

/** A loudness curve as `width` characters with its scale. */
export function loudnessLine(momentary: readonly (number | null)[], width: number): string {
  const { from, to } = range;
  const heights = momentary.map((value) => (value === null ? 0 : Math.max(0, (value - from) / (to - from))));
  return `${sparkLine(heights, width)}  ${from} to ${to} LUFS`;
}
