import type { AudioReport } from '../../../contract/http/report.ts';
import type { LoudnessBlocks } from '../../loudness/gating.ts';
import { blocksPerSecond } from '../../loudness/gating.ts';

/** More than a screen has columns, and a report stays small. */
const mostPoints = 1000;

/** LUFS; what a meter says where its window is not full, or silent, is lower. */
const absoluteGate = -70;

const rounded = (loudness: number): number | null => (loudness > absoluteGate ? Math.round(loudness * 10) / 10 : null);

/** LUFS of the loudest block (pure). */
export function greatestLoudness(blocks: readonly number[]): number | null {
  return rounded(blocks.reduce((one, other) => Math.max(one, other), -Infinity));
}

/** The loudest of every so many blocks. */
function thin(blocks: readonly number[], perPoint: number): (number | null)[] {
  const points = Math.ceil(blocks.length / perPoint);
  return Array.from({ length: points }, (_, point) =>
    rounded(Math.max(...blocks.slice(point * perPoint, (point + 1) * perPoint))),
  );
}

/** The curves of a whole in a bounded number of points (pure). */
export function loudnessCurve({ momentary, shortTerm }: LoudnessBlocks): AudioReport['loudness']['curve'] {
  const perPoint = Math.max(1, Math.ceil(momentary.length / mostPoints));
  return {
    interval: perPoint / blocksPerSecond,
    momentary: thin(momentary, perPoint),
    shortTerm: thin(shortTerm, perPoint),
  };
}
