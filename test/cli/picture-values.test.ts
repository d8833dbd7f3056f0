import { expect, test } from 'vitest';
import { parseCrop, parsePad, parseRotation } from '../../cli/picture-values.ts';

test('parses the sides of a crop', () => {
  expect(parseCrop('top=140,bottom=140')).toEqual({ top: 140, bottom: 140 });
  expect(parseCrop(' left = 8 ')).toEqual({ left: 8 });
});

test.each(['', '10', 'top', 'top=', 'top=-1', 'top=1,top=2', 'middle=3', 'top=99999', 'top=1;left=2', 'top=1,'])(
  'refuses the crop %j with an example',
  (text) => {
    expect(() => parseCrop(text)).toThrow('top=140,bottom=140');
  },
);

test('accepts the pad colors and rotations of the contract', () => {
  expect([parsePad('black'), parsePad('#1a2b3c'), parseRotation('270')]).toEqual(['black', '#1a2b3c', 270]);
  for (const text of ['', 'green', '#12345', '#1a2b3c80']) expect(() => parsePad(text)).toThrow('such as #1a2b3c');
  for (const text of ['', '0', '45', '-90', 'left']) expect(() => parseRotation(text)).toThrow('90, 180 or 270');
});
