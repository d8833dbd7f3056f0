import { absoluteGate, blocksPerSecond } from './gating.ts';

/** LUFS in tenths; null below the gate, where a meter is whose window is silent, or not full yet. */
function roundLoudness(loudness: number): number | null {
  return loudness > absoluteGate ? Math.round(loudness * 10) / 10 : null;
}

/** LUFS of the loudest block (pure). */
export function greatestLoudness(blocks: readonly number[]): number | null {
  return roundLoudness(blocks.reduce((one, other) => Math.max(one, other), -Infinity));
}

/** The loudest of every so many blocks. */
function thin(blocks: readonly number[], perPoint: number): (number | null)[] {
  const points = Math.ceil(blocks.length / perPoint);
  return Array.from({ length: points }, (_, point) =>
    roundLoudness(Math.max(...blocks.slice(point * perPoint, (point + 1) * perPoint))),
  );
}

/** LUFS over time in a bounded number of points, so many seconds apart; null: no sound, or nothing before it. */
export interface LoudnessCurve {
  interval: number;
  points: (number | null)[];
}

/** The curve of the blocks of a whole (pure). */
export function loudnessCurve(blocks: readonly number[], mostPoints: number): LoudnessCurve {
  const perPoint = Math.max(1, Math.ceil(blocks.length / mostPoints));
  return { interval: perPoint / blocksPerSecond, points: thin(blocks, perPoint) };
}
