import { expect, test } from 'vitest';
import { chooseSceneCrfs, type ProbedScene } from '../../../../engine/pictures/quality/choose-scene-crfs.ts';

const range = { best: 18, worst: 26 };

/** A scene that loses `slope` points and an eighth of its bits with each step. */
const scene = (vmaf: number, slope: number, bitrate: number, frames = 100): ProbedScene => ({
  frames,
  probes: [-3, 3].map((step) => ({ crf: 22 + step, vmaf: vmaf - slope * step, bitrate: bitrate * 0.875 ** step })),
});

/** Mean VMAF and kbit/s of scenes at their rate factors. */
function totalOf(scenes: readonly ProbedScene[], crfs: readonly number[], slopes: readonly number[]) {
  let [vmaf, bits, frames] = [0, 0, 0];
  for (const [index, { frames: count, probes }] of scenes.entries()) {
    const [low] = probes;
    const steps = (crfs[index] ?? 0) - 19;
    vmaf += count * ((low?.vmaf ?? 0) - (slopes[index] ?? 0) * steps);
    bits += count * (low?.bitrate ?? 0) * 0.875 ** steps;
    frames += count;
  }
  return { vmaf: vmaf / frames, bits };
}

test('takes bits from scenes in which a point of VMAF is expensive, and keeps the mean', () => {
  const scenes = [scene(95, 0.5, 4000), scene(95, 1.2, 500)];
  const crfs = chooseSceneCrfs(scenes, 22, range);
  expect(crfs[0]).toBeGreaterThan(22);
  expect(crfs[1]).toBeLessThan(22);
  const [own, one] = [crfs, [22, 22]].map((tried) => totalOf(scenes, tried, [0.5, 1.2]));
  expect(own?.vmaf).toBeGreaterThanOrEqual(95);
  expect(own?.bits).toBeLessThan(0.9 * (one?.bits ?? 0));
});

test('gives equal scenes of any length the same rate factor', () => {
  const [first, second] = chooseSceneCrfs([scene(95, 1, 900, 40), scene(95, 1, 900, 300)], 22, range);
  expect(first).toBe(22);
  expect(second).toBe(22);
});

test('stays within the range, and gives up no more of the mean than it regains', () => {
  expect(chooseSceneCrfs([scene(95, 0.01, 4000), scene(95, 3, 50)], 22, range)).toEqual([26, 21.5]);
});

test('chooses the same rate factors for samples that all look better than their film', () => {
  const crfsAt = (vmaf: number): number[] =>
    chooseSceneCrfs([scene(vmaf, 0.5, 4000), scene(vmaf - 5, 1.2, 500)], 22, range);
  expect(crfsAt(97)).toEqual(crfsAt(90));
});
