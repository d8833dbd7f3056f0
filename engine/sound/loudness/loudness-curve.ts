import { absoluteGate, blocksPerSecond } from './gating.ts';

/** LUFS in tenths; null below the gate, where the meter's window is silent or not full yet. */
function roundLoudness(loudness: number): number | null {
  return loudness > absoluteGate ? Math.round(loudness * 10) / 10 : null;
}

/** LUFS of the loudest block. */
export function greatestLoudness(blocks: readonly number[]): number | null {
  return roundLoudness(blocks.reduce((one, other) => Math.max(one, other), -Infinity));
}

/** Keeps the loudest of each group of blocks. */
function thin(blocks: readonly number[], perPoint: number): (number | null)[] {
  const points = Math.ceil(blocks.length / perPoint);
  return Array.from({ length: points }, (_, point) =>
    roundLoudness(Math.max(...blocks.slice(point * perPoint, (point + 1) * perPoint))),
  );
}

/** Loudness in LUFS over time, as a bounded number of evenly spaced points. null: no sound in the window. */
export interface LoudnessCurve {
  interval: number;
  points: (number | null)[];
}

/** Curve of the blocks of a whole file. */
export function loudnessCurve(blocks: readonly number[], mostPoints: number): LoudnessCurve {
  const perPoint = Math.max(1, Math.ceil(blocks.length / mostPoints));
  return { interval: perPoint / blocksPerSecond, points: thin(blocks, perPoint) };
}
