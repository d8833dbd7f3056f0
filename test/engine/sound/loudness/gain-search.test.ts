import { describe, expect, test } from 'vitest';
import { type GainSearch, type GainTrial, guessGain, nextGain } from '../../../../engine/sound/loudness/gain-search.ts';

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

describe('the gain of an encoder that does not follow it', () => {
  test('the gain is searched between a louder trial and a quieter one with more gain', () => {
    const trials = [
      { gain: 10, integrated: -15.8 },
      { gain: 10.4, integrated: -16.2 },
    ];
    expect(guessGain(-16, trials, 1)).toBeCloseTo(10.2);
  });

  test('the gain is searched further away if a step towards the target made it quieter', () => {
    const trials = [
      { gain: 10, integrated: -16.4 },
      { gain: 10.4, integrated: -16.5 },
    ];
    expect(guessGain(-16, trials, 1)).toBeGreaterThan(12);
  });

  test('the gain is searched where a trial came nearest, if several neighbours are on two sides of the target', () => {
    const trials = [
      { gain: 8, integrated: -17 },
      { gain: 9, integrated: -15 },
      { gain: 10, integrated: -16.1 },
    ];
    const guessed = guessGain(-16, trials, 1);
    expect(guessed).toBeGreaterThan(9);
    expect(guessed).toBeLessThan(10);
  });
});

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

  test('the gain is found beyond a jump, where the gate admits speech once the loud event over it is limited', () => {
    const withJump = (gain: number): number => (gain < 14 ? -17 + gain / 20 : -22.4 + 0.4 * gain);
    const { gain } = searchGain(withJump);
    expect(Math.abs(withJump(gain) + 16)).toBeLessThan(0.06);
  });

  test('the gain is the nearest one if a jump skips the target', () => {
    const { gain, trials } = searchGain((tried) => (tried < 10 ? -16.9 : -15.6));
    expect(gain).toBeGreaterThanOrEqual(10);
    expect(trials.length).toBeLessThanOrEqual(7);
  });

  test('the gain never exceeds maxGain, and an unreachable target takes two trials', () => {
    const { gain, trials } = searchGain((tried) => -37 + tried / 100);
    expect(gain).toBe(30);
    expect(trials.length).toBe(2);
  });
});
