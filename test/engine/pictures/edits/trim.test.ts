import { expect, test } from 'vitest';
import { UnsupportedOutput } from '../../../../contract/unsupported-output.ts';
import { trim } from '../../../../engine/pictures/edits/trim.ts';
import type { EditRequest } from '../../../../engine/pictures/edits/picture-edit.ts';
import type { VideoPlan } from '../../../../engine/plan/video-plan.ts';

/** Slides on a clock of milliseconds, the last one for 1 s. */
const timing = {
  ...{ kind: 'variable', timeBase: { num: 1, den: 1000 }, startTicks: 0, endTicks: 2600 },
  stamps: [0, 40, 500, 1060, 1600],
} as const;

function cut(start: number, end: number): VideoPlan['timing'] | undefined {
  const output = { label: 'mp4', named: {}, trim: { start, end } };
  return trim.plan?.({ output } as unknown as EditRequest, { timing } as unknown as VideoPlan).timing;
}

test.each([
  ['the next picture, which begins soon', 0.45, 0.6, { stamps: [500], startTicks: 500, endTicks: 600 }],
  ['the picture that is shown, before a later one', 0.7, 1.2, { stamps: [500, 1060], startTicks: 700, endTicks: 1200 }],
  ['the picture that is shown, before the next one', 1, 1.04, { stamps: [500], startTicks: 1000, endTicks: 1040 }],
  ['the picture that is shown up to the next one', 1, 1.06, { stamps: [500], startTicks: 1000, endTicks: 1060 }],
  ['the last picture', 2, 2.5, { stamps: [1600], startTicks: 2000, endTicks: 2500 }],
])('a part of a film of variable rate begins with %s', (_, start, end, part) => {
  expect(cut(start, end)).toMatchObject(part);
});

test('rejects a part of a film of variable rate that begins after the film', () => {
  expect(() => cut(2.6, 3)).toThrow(UnsupportedOutput);
});
