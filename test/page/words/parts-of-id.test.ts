import { expect, test } from 'vitest';
import { partsOfId } from '../../../page/words/parts-of-id.ts';

test.each([
  ['encode-69788cda6f9b396643bc2b8799a2d202', ['encode-', '69788cda', '6f9b3966', '43bc2b87', '99a2d202']],
  ['encode-x-4a169b', ['encode-', 'x-', '4a169b']],
  ['0123456789', ['01234', '56789']],
  ['talk', ['talk']],
])('breaks the id %j evenly', (id, parts) => {
  expect(partsOfId(id)).toEqual(parts);
});

test('the parts of an id are the whole id', () => {
  const id = 'año_🎧-0123456789abcdef0/1.2:x y\nz'.repeat(9);
  expect(partsOfId(id).join('')).toBe(id);
});
