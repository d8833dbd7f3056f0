import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildVoidHeader, readMatroskaLayout } from '../../../engine/spread/matroska-layout.ts';
import { readElement } from '../../../engine/formats/matroska/element.ts';
import { testFolder } from '../../support/folder.ts';

/** An element with a size of one byte; `size` replaces it. */
function element(id: string, body: Buffer = Buffer.alloc(0), size = Buffer.from([0x80 | body.length])): Buffer {
  return Buffer.concat([Buffer.from(id, 'hex'), size, body]);
}

const unknownSize = Buffer.from([0xff]);
const header = element('1a45dfa3', Buffer.alloc(5));
const info = element('1549a966', Buffer.alloc(3));
const tracks = element('1654ae6b', Buffer.alloc(4));
const cues = element('1c53bb6b', Buffer.alloc(6));
const block = element('a3', Buffer.alloc(20));
const time = element('e7', Buffer.alloc(1));
const cluster = element('1f43b675', Buffer.concat([time, block]));

async function layoutOf(...parts: Buffer[]) {
  const path = join(testFolder(), 'file.mkv');
  await writeFile(path, Buffer.concat(parts));
  return await readMatroskaLayout(path);
}

/** Borders of parts in a row. */
function borders(...parts: Buffer[]): { from: number; end: number }[] {
  let end = 0;
  return parts.map(({ length }) => ({ from: end, end: (end += length) }));
}

const segmentOf = (body: Buffer): Buffer =>
  element('18538067', body, Buffer.from([0x40 | (body.length >> 8), body.length & 0xff]));

test('finds the clusters of a file, and its other elements', async () => {
  const inside = [info, tracks, cluster, cluster, element('ec', Buffer.alloc(9)), cues];
  const start = segmentOf(Buffer.concat(inside)).subarray(0, 6);
  const places = borders(header, start, ...inside);
  expect(await layoutOf(header, start, ...inside)).toEqual({
    clusters: [places[4], places[5]],
    others: [places[0], places[1], places[2], places[3], places[7]],
  });
});

test('a cluster of unknown size ends before an element that it cannot have', async () => {
  const start = element('18538067', Buffer.alloc(0), unknownSize);
  const live = Buffer.concat([element('1f43b675', Buffer.alloc(0), unknownSize), time, block, block]);
  const places = borders(header, start, tracks, live, live, cues);
  expect(await layoutOf(header, start, tracks, live, live, cues)).toEqual({
    clusters: [places[3], places[4]],
    others: [places[0], places[1], places[2], places[5]],
  });
});

test.each<[string, Buffer[]]>([
  ['is cut off', [segmentOf(cluster), cluster.subarray(0, 9)]],
  ['has two segments', [segmentOf(cluster), segmentOf(cluster)]],
  ['has no cluster', [segmentOf(Buffer.concat([info]))]],
  ['has bytes that are no element', [segmentOf(cluster), Buffer.alloc(4)]],
])('a file that %s has no layout', async (_, parts) => {
  expect(await layoutOf(header, ...parts)).toBeUndefined();
});

test.each([2, 8, 9, 200, 5e9])('an element of %i bytes is skipped as one', (bytes) => {
  const { id, headerSize, bodySize = 0 } = readElement(buildVoidHeader(bytes)) ?? { id: 0, headerSize: 0 };
  expect([id, headerSize + bodySize]).toEqual([0xec, bytes]);
});
