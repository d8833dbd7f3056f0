import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { readFileEnds } from '../../../../engine/formats/file-ends.ts';
import { id3v2Size } from '../../../../engine/formats/mp3/id3v2.ts';
import { readInfoFrame } from '../../../../engine/formats/mp3/info-frame.ts';
import { musicOgg } from '../../../support/media.ts';
import { makeMedia } from '../../../support/media-files.ts';
import { useFolder } from '../../../support/folder.ts';

const folder = useFolder();

test('the Info frame is found after a tag that contains the word Info', async () => {
  const comment = `Xing ${'x'.repeat(75_000)}`;
  const tags = ['title=Info', `comment=${comment}`, `lyrics=${comment}`].flatMap((tag) => ['-metadata', tag]);
  const path = await makeMedia(folder, 'a.mp3', '-i', musicOgg, '-t', '3', '-b:a', '128k', ...tags);
  const bytes = await readFile(path);
  const tagSize = id3v2Size(bytes);
  expect(tagSize).toBeGreaterThan(150_000);
  const { head } = await readFileEnds(path);
  expect(head.equals(bytes.subarray(tagSize, tagSize + head.length))).toBe(true);
  const info = readInfoFrame(head);
  expect(info).toMatchObject({ at: 36, isComplete: true, encoder: 'Lavc' });
  expect(((info?.frames ?? 0) * 1152 - (info?.encoderDelay ?? 0) - (info?.padding ?? 0)) / 44_100).toBeCloseTo(3, 3);
});

test.each([
  ['no optional field but the count of frames', 1, 12],
  ['frames and bytes', 3, 16],
  ['frames and the table of contents', 5, 112],
  ['all fields', 15, 120],
])('delay and padding are found after %s', (_what, flags, extensionAt) => {
  const frame = Buffer.alloc(417);
  frame.write('Info', 36, 'latin1');
  frame.writeUInt32BE(flags, 40);
  frame.writeUInt32BE(7, 44);
  frame.write('LAME3.100', 36 + extensionAt, 'latin1');
  frame.writeUIntBE((576 << 12) | 1000, 36 + extensionAt + 21, 3);
  const facts = { at: 36, frames: 7, encoder: 'LAME', encoderDelay: 576, padding: 1000, isComplete: flags === 15 };
  expect(readInfoFrame(frame)).toEqual(facts);
});

test.each([
  ['nothing', Buffer.alloc(0)],
  ['silence', Buffer.alloc(500)],
  ['a frame that is cut off', Buffer.concat([Buffer.alloc(36), Buffer.from('Info'), Buffer.alloc(40)])],
  ['a frame without a count of frames', Buffer.concat([Buffer.alloc(36), Buffer.from('Xing'), Buffer.alloc(400)])],
  ['the word in later frames', Buffer.concat([Buffer.alloc(200), Buffer.from('Info\0\0\0\x01'), Buffer.alloc(400)])],
])('%s is not an Info frame', (_what, head) => {
  expect(readInfoFrame(head)).toBeUndefined();
});
