import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildPage } from '../../../engine/formats/ogg/page.ts';
import { buildVorbisComments } from '../../../engine/formats/vorbis/comments.ts';
import { readVorbisRemarks } from '../../../engine/source/vorbis-remarks.ts';
import { useFolder } from '../../support/folder.ts';

const folder = useFolder();

const comments = (empty: number): Buffer =>
  buildVorbisComments({
    vendor: Buffer.alloc(0),
    comments: [Buffer.from('DESCRIPTION=Text'), ...Array.from({ length: empty }, () => Buffer.alloc(0))],
  });

function flac(paddings: number, body: Buffer): Buffer {
  const header = Buffer.from([0x84, 0, 0, 0]);
  header.writeUIntBE(body.length, 1, 3);
  return Buffer.concat([Buffer.from('fLaC'), Buffer.alloc(4 * paddings, Buffer.from([1, 0, 0, 0])), header, body]);
}

/** An Ogg file whose first packet has this many bytes after its start. */
function ogg(start: string, more: number): Buffer {
  const page = (body: Buffer, lacing: Uint8Array): Buffer =>
    buildPage({ flags: 0, granulePosition: 0, serial: 1, sequence: 0, lacing }, body);
  const whole = (body: Buffer): Buffer => page(body, Uint8Array.of(body.length));
  const full = page(Buffer.alloc(255 * 255), new Uint8Array(255).fill(255));
  const open = Array.from({ length: Math.floor(more / (255 * 255)) }, () => full);
  const end = [whole(Buffer.from(start, 'latin1')), whole(Buffer.concat([Buffer.from('OpusTags'), comments(0)]))];
  return Buffer.concat([...open, ...end]);
}

async function read(formatName: string, bytes: Buffer) {
  const path = join(folder, 'file');
  await writeFile(path, bytes);
  return await readVorbisRemarks(path, formatName);
}

test('reads the description of FLAC and Ogg files', async () => {
  const remarks = { comment: '', description: 'Text' };
  expect(await read('flac', flac(0, comments(0)))).toEqual(remarks);
  expect(await read('ogg', ogg('OpusHead', 0))).toEqual(remarks);
});

test.each([
  ['a FLAC file of 1,001 blocks', 'flac', flac(1000, comments(0))],
  ['a FLAC file of 100,001 comments', 'flac', flac(0, comments(100_000))],
  ['a FLAC file that ends within its comments', 'flac', flac(0, comments(0)).subarray(0, -1)],
  ['an Ogg file with 17 MiB of headers', 'ogg', ogg('OpusHead', 17 * 1024 ** 2)],
  ['an Ogg file that ends within its comments', 'ogg', ogg('OpusHead', 0).subarray(0, -1)],
  ['an Ogg file with half a header of FLAC', 'ogg', ogg('\u007fFLAC', 0).subarray(0, -36)],
])('leaves %s to ffprobe', async (_what, formatName, bytes) => {
  expect(await read(formatName, bytes)).toBeUndefined();
});
