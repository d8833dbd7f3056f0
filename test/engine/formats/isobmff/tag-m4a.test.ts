import { readFileSync } from 'node:fs';
import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { figures } from '../../../../engine/formats/figures.ts';
import { buildBox, findBox, readBoxes } from '../../../../engine/formats/isobmff/box.ts';
import { tagM4a } from '../../../../engine/formats/isobmff/tag-m4a.ts';
import { useFolder } from '../../../support/folder.ts';

const folder = useFolder();

const chapters = [
  { startMs: 0, endMs: 300_000, title: 'One', url: undefined },
  { startMs: 300_000, endMs: 600_000, title: 'Two', url: undefined },
];

const movieOf = (offsets: Buffer): Buffer => {
  const header = Buffer.alloc(100);
  header.writeUInt32BE(1000, 12);
  header.writeUInt32BE(600_000, 16);
  header.writeUInt32BE(2, 96);
  const track = ['stbl', 'minf', 'mdia', 'trak'].reduce((body, type) => buildBox(type, body), offsets);
  return buildBox('moov', Buffer.concat([buildBox('mvhd', header), track]));
};

test.each([
  ['64 bits', buildBox('co64', figures([0, 2, 0, 1000, 1, 7])), [1000, 2 ** 32 + 7]],
  ['32 bits', buildBox('stco', figures([0, 2, 1000, 2 ** 32 - 1])), [1000, 2 ** 32 - 1]],
])('gives a file above 4 GiB whose offsets have %s chapters by offsets of 64 bits', async (_, table, offsets) => {
  const path = join(folder, 'large.mov');
  const movie = movieOf(table);
  const start = Buffer.concat([buildBox('ftyp', Buffer.from('qt  \0\0\0\0qt  ', 'latin1')), movie]);
  const media = Buffer.alloc(16);
  const mediaBytes = 4.1 * 1024 ** 3;
  media.writeUInt32BE(1, 0);
  media.write('mdat', 4, 'latin1');
  media.writeBigUInt64BE(BigInt(Math.floor(mediaBytes)), 8);
  await writeFile(path, Buffer.concat([start, media]));
  await truncate(path, start.length + Math.floor(mediaBytes));

  let written: Buffer = Buffer.alloc(0);
  const tags = { metadata: new Map(), chapters, cover: undefined };
  // Its moov is written when the second step of the copy is.
  let steps = 0;
  const stop = () => {
    steps += 1;
    if (steps < 2) return;
    written = readFileSync(`${path}.new`);
    throw new Error('copied enough');
  };
  await expect(tagM4a(path, tags, stop)).rejects.toThrow('copied enough');

  const size = written.readUInt32BE(20);
  const shift = size - movie.length;
  const tracks = readBoxes(findBox(written.subarray(20, 20 + size), ['moov'])).filter(({ type }) => type === 'trak');
  const tables = tracks.map(({ body }) => {
    const found = findBox(body, ['mdia', 'minf', 'stbl', 'co64']);
    return Array.from({ length: found.readUInt32BE(4) }, (__, index) => Number(found.readBigUInt64BE(8 + index * 8)));
  });
  const textsAt = start.length + Math.floor(mediaBytes) + shift + 8;
  expect(tables).toEqual([offsets.map((offset) => offset + shift), [textsAt]]);
});
