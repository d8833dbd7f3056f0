import { expect, test } from 'vitest';
import { planShape } from '../../../../engine/pictures/edits/size.ts';

const size = (width: number, height: number) => ({ width, height });

test.each([
  ['no wish', {}, size(1920, 1080), size(1920, 1080)],
  ['odd sides', {}, size(161, 91), size(160, 90)],
  ['one pixel', {}, size(1, 1), size(2, 2)],
  ['a width', { width: 1280 }, size(1920, 1080), size(1280, 720)],
  ['a height', { height: 480 }, size(1920, 1080), size(854, 480)],
  ['a box', { width: 500, height: 500 }, size(1920, 1080), size(500, 282)],
  ['an odd box', { width: 853, height: 480 }, size(1920, 1080), size(852, 480)],
  ['a box that is larger', { width: 1920, height: 1080 }, size(640, 360), size(640, 360)],
])('the fit contain: %s', (_what, wish, shown, planned) => {
  expect(planShape({ width: undefined, height: undefined, fit: 'contain', ...wish }, shown)).toEqual({
    size: planned,
    scaled: planned,
  });
});

test.each([
  ['cover', size(1920, 1080), { size: size(1080, 1920), scaled: size(3414, 1920) }],
  ['stretch', size(1920, 1080), { size: size(1080, 1920), scaled: size(1080, 1920) }],
  ['blur', size(1920, 1080), { size: size(1080, 1920), scaled: size(1080, 608), background: size(3414, 1920) }],
  ['blur', size(1080, 1920), { size: size(1080, 1920), scaled: size(1080, 1920) }],
] as const)('the fit %s fills the box', (fit, shown, planned) => {
  expect(planShape({ width: 1080, height: 1920, fit }, shown)).toEqual(planned);
});
