import { expect, test } from 'vitest';
import { id3v2Size } from '../../../../engine/formats/mp3/id3v2.ts';

test.each([
  ['no tag', 'RIFF', 0],
  ['a plain tag', 'ID3\u0003\0\0\0\0\u0001\0', 138],
  ['a tag with a footer', 'ID3\u0004\0\u0010\0\0\u0001\0', 148],
  ['a size that is not synchsafe', 'ID3\u0003\0\0\0\0\u0080\0', 0],
  ['a header that is cut off', 'ID3', 0],
])('the size of %s follows from its header', (_what, head, size) => {
  expect(id3v2Size(Buffer.from(head, 'latin1'))).toBe(size);
});
