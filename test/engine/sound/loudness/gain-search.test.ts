import { describe, expect, test } from 'vitest';
import { type GainSearch, type GainTrial, nextGain } from '../../../../engine/sound/loudness/gain-search.ts';

const search: GainSearch = {
  ...{ wanted: -16, ceiling: -1.1, maxGain: 30 },
  source: { integrated: -24, truePeak: -6, range: 5 },
};

/** Searches as an output does, measuring with `loudnessAt`. */
function searchGain(loudnessAt: (gain: number) => number): { gain: number; trials: GainTrial[] } {
  const trials: GainTrial[] = [];
  let next = nextGain(search, trials);
  while (next.kind === 'try') {
    trials.push({ gain: next.gain, integrated: loudnessAt(next.gain) });
    next = nextGain(search, trials);
  }
  return { gain: next.gain, trials };
}

/** A limiter reduces more the further peaks exceed its ceiling. */
const limited =
  (share: number) =>
  (gain: number): number =>
    -24 + gain - share * Math.max(0, gain - 4.9) ** 2;

describe('the gain under a limiter', () => {
  test.each([
    ['that takes nothing', limited(0), 1],
    ['that takes a little', limited(0.005), 1],
    ['that takes a good deal', limited(0.03), 3],
    [
      'that takes as much as it is given, nearly',
      (gain: number) => -24 + 8 * (1 - Math.exp(-gain / 4)) + 0.05 * gain,
      7,
    ],
  ])('%s is found in few trials', (_, loudnessAt, mostTrials) => {
    const { gain, trials } = searchGain(loudnessAt);
    expect(Math.abs(loudnessAt(gain) + 16)).toBeLessThan(0.06);
    expect(trials.length).toBeLessThanOrEqual(mostTrials);
  });

  test('is found beyond a jump, where the gate admits speech once the loud event over it is limited', () => {
    const withJump = (gain: number): number => (gain < 14 ? -17 + gain / 20 : -22.4 + 0.4 * gain);
    const { gain } = searchGain(withJump);
    expect(Math.abs(withJump(gain) + 16)).toBeLessThan(0.06);
  });

  test('is the nearest one if a jump skips the target', () => {
    const { gain, trials } = searchGain((tried) => (tried < 10 ? -16.9 : -15.6));
    expect(gain).toBeGreaterThanOrEqual(10);
    expect(trials.length).toBeLessThanOrEqual(7);
  });

  test('never exceeds maxGain, and an unreachable target takes two trials', () => {
    const { gain, trials } = searchGain((tried) => -37 + tried / 100);
    expect(gain).toBe(30);
    expect(trials.length).toBe(2);
  });
});
