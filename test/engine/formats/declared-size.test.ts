import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { findDeclaredSize } from '../../../engine/formats/declared-size.ts';
import { musicOgg } from '../../support/media.ts';
import { makeMedia } from '../../support/media-files.ts';
import { useFolder } from '../../support/folder.ts';

const folder = useFolder();

const peekOf = (file: Buffer) => (position: number) => Promise.resolve(file.subarray(position, position + 96));

test.each(['aiff', 'au', 'caf', 'w64', 'asf'])(
  '%s declares the same size, complete or truncated',
  async (formatName) => {
    const extension = formatName === 'asf' ? 'wma' : formatName;
    const path = await makeMedia(folder, `a.${extension}`, '-i', musicOgg, '-t', '3');
    const bytes = await readFile(path);
    const whole = await findDeclaredSize(formatName, peekOf(bytes), bytes.length);
    expect(whole?.declared).toBeGreaterThan(20_000);
    expect(whole?.present).toBe(whole?.declared);
    const half = bytes.subarray(0, bytes.length / 2);
    const cut = await findDeclaredSize(formatName, peekOf(half), half.length);
    expect(cut?.declared).toBe(whole?.declared);
    expect((cut?.present ?? 0) / (cut?.declared ?? 0)).toBeCloseTo(0.5, 1);
  },
);

test.each([
  ['an empty file', 'caf', Buffer.alloc(0)],
  ['endless empty chunks', 'w64', Buffer.alloc(10_000)],
  ['a size beyond all files', 'asf', Buffer.alloc(200, 0xff)],
  [
    'an AIFF of a recorder that was stopped',
    'aiff',
    Buffer.concat([Buffer.from('FORM....AIFFSSND'), Buffer.alloc(99)]),
  ],
  [
    'an AU of unknown length',
    'au',
    Buffer.concat([Buffer.from('.snd\0\0\0\x18'), Buffer.alloc(4, 0xff), Buffer.alloc(99)]),
  ],
  ['another format', 'ogg', Buffer.alloc(200)],
  [
    'a chunk of unknown length',
    'caf',
    Buffer.concat([Buffer.from('caff\0\0\0\0data'), Buffer.alloc(8, 0xff), Buffer.alloc(99)]),
  ],
])('%s declares no size', async (_what, formatName, file) => {
  expect(await findDeclaredSize(formatName, peekOf(file), file.length)).toBeUndefined();
});
