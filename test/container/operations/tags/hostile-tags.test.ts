import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { buildId3v2Tag } from '../../../../engine/formats/mp3/id3v2-tag.ts';
import { buildPictureBlock } from '../../../../engine/formats/vorbis/comments.ts';
import { probeChapters, readTags } from '../../../engine/formats/tags/read-tags.ts';
import type { Answer } from '../../../support/container.ts';
import { useEncodes } from '../../../support/encodes.ts';
import { pcmDigest } from '../../../support/media-files.ts';

// Tags of a source come from outside: they are bounded and harmless, and never fail a job.

const service = await useEncodes();
const { make, encode, file, outputFile } = service;

const formats = ['mp3_64', 'aac_64', 'opus_32', 'flac', 'wav'].map((format) => ({ format }));

async function tagged(name: string, tags: Partial<Parameters<typeof buildId3v2Tag>[0]>): Promise<void> {
  const sound = await readFile(await make('untagged.mp3', '-i', file('second.wav'), '-id3v2_version', '0'));
  const tag = buildId3v2Tag({ metadata: new Map(), chapters: [], cover: undefined, ...tags });
  await writeFile(file(name), Buffer.concat([tag, sound]));
}

async function expectEncoded(name: string, requests = formats.slice(0, 1)): Promise<Answer> {
  const answer = await encode(name, requests);
  expect(answer.body).toMatchObject({ success: true });
  expect(answer.body.outputs[0].duration).toBeCloseTo(1, 1);
  return answer;
}

describe('hostile tags', () => {
  test('bounds a title of a megabyte and removes control characters from tags', async () => {
    await tagged('control.mp3', {
      metadata: new Map([
        ['title', `\u001b[2J\u0007<script>alert(1)</script>\n${'x'.repeat(1_000_000)}`],
        ['artist', 'Eine Frau\n[CHAPTER]\nSTART=0'],
        ['album', '../../etc/passwd; `id` $(id) %s%n'],
        ['comment', `a\u0000b\u0085c\nd`],
      ]),
    });
    await expectEncoded('control.mp3', formats);
    for (const index of formats.keys()) {
      const read = await readTags(outputFile('control.mp3', index));
      expect(read.title?.length).toBeLessThanOrEqual(1024);
      expect(read.title).toMatch(/^\[2J <script>/);
      expect(read.artist).toBe('Eine Frau [CHAPTER] START=0');
      expect(read.album).toBe('../../etc/passwd; `id` $(id) %s%n');
      for (const text of read.native.values()) expect(text).not.toMatch(/[^\P{Control}\n\0]/u);
      expect(await probeChapters(outputFile('control.mp3', index))).toEqual([]);
    }
  });

  test('reads the first title and the same sound from a file with three kinds of tags at both ends', async () => {
    const sound = await readFile(await make('bare.mp3', '-i', file('second.wav'), '-id3v2_version', '0'));
    const title = (text: string): Buffer =>
      buildId3v2Tag({ metadata: new Map([['title', text]]), chapters: [], cover: undefined });
    const item = Buffer.from('\u0003\0\0\0\0\0\0\0Title\0ape', 'latin1');
    const ape = (flags: number): Buffer => {
      const frame = Buffer.alloc(32);
      frame.write('APETAGEX', 'latin1');
      for (const [index, value] of [2000, item.length + 32, 1, flags].entries())
        frame.writeUInt32LE(value, 8 + index * 4);
      return frame;
    };
    const id3v1 = Buffer.alloc(128);
    id3v1.write('TAGold', 'latin1');
    const behind = [ape(0xa0_00_00_00), item, ape(0x80_00_00_00), id3v1];
    await writeFile(file('both.mp3'), Buffer.concat([title('eins'), title('zwei'), sound, ...behind]));
    for (const name of ['bare.mp3', 'both.mp3']) await expectEncoded(name, [{ format: 'wav' }]);
    expect((await readTags(outputFile('both.mp3'))).title).toBe('eins');
    expect(await pcmDigest(outputFile('both.mp3'), 's16le')).toBe(await pcmDigest(outputFile('bare.mp3'), 's16le'));
  });

  test('keeps the audible chapters of a list that is out of order, overlapping, backwards and past the end', async () => {
    const chapter = (startMs: number, endMs: number, title: string) => ({ startMs, endMs, title, url: undefined });
    const chapters = [
      ...[chapter(900, 100, 'backwards'), chapter(100, 5000, 'over all'), chapter(100, 200, 'at one place')],
      ...[chapter(0xff_ff_ff_f0, 0xff_ff_ff_ff, 'far'), chapter(500, 600, '\u001b]0;x\u0007')],
    ];
    await tagged('disorder.mp3', { chapters });
    const answer = await expectEncoded('disorder.mp3', formats);
    for (const index of formats.keys()) {
      const found = (await probeChapters(outputFile('disorder.mp3', index))).filter(({ title }) => title !== '');
      expect(found.map(({ start }) => start)).toEqual([0.1, 0.5, ...found.slice(2).map(() => 0.9)]);
      expect(found.map(({ title }) => title).join(' ')).not.toMatch(/\p{Control}|far/u);
      expect(answer.body.outputs[index].chapters).toBe(found.length);
    }
  });

  test('keeps a thousand of ten thousand chapters', async () => {
    const chapter = (_: unknown, n: number) => `[CHAPTER]\nTIMEBASE=1/1000\nSTART=${n}\nEND=${n + 1}\ntitle=${n}\n`;
    await writeFile(file('many.txt'), `;FFMETADATA1\n${Array.from({ length: 10_000 }, chapter).join('')}`);
    const options = ['-i', file('many.txt'), '-map', '0:a', '-map_chapters', '1', '-c:a', 'flac'];
    await make('many.mka', '-i', file('second.wav'), ...options);
    expect((await expectEncoded('many.mka')).body.outputs[0].chapters).toBe(1000);
  });

  test.each([
    ['no picture', Buffer.from('<svg onload="alert(1)"/>')],
    ['half a picture', Buffer.from('ffd8ffe000104a46494600', 'hex')],
    ['nothing', Buffer.alloc(0)],
  ])('drops only the cover if it is %s', async (_what, bytes) => {
    await tagged('cover.mp3', {
      metadata: new Map([['title', 'Da']]),
      cover: { mimeType: 'image/jpeg', width: 1, height: 1, bytes },
    });
    await expectEncoded('cover.mp3');
    expect(await readTags(outputFile('cover.mp3'))).toMatchObject({ title: 'Da', picture: undefined });
  });

  test('drops a cover of 20,000 pixels a side', async () => {
    const png = await readFile(await make('small.png', '-f', 'lavfi', '-i', 'color=red:s=16x16', '-frames:v', '1'));
    png.writeUInt32BE(20_000, 16);
    png.writeUInt32BE(20_000, 20);
    await tagged('vast.mp3', { cover: { mimeType: 'image/png', width: 16, height: 16, bytes: png } });
    await expectEncoded('vast.mp3');
    expect((await readTags(outputFile('vast.mp3'))).picture).toBeUndefined();
  });

  test('shrinks a cover of many megabytes', async () => {
    const noise = ['-f', 'lavfi', '-i', 'color=gray:s=1500x1500,noise=alls=100', '-frames:v', '1'];
    const bytes = await readFile(await make('noise.png', ...noise));
    expect(bytes.length).toBeGreaterThan(2 * 1024 ** 2);
    await tagged('noise.mp3', { cover: { mimeType: 'image/png', width: 1500, height: 1500, bytes } });
    await expectEncoded('noise.mp3');
    const { picture } = await readTags(outputFile('noise.mp3'));
    expect(picture?.mimeType).toBe('image/jpeg');
    expect(picture?.bytes.length).toBeLessThanOrEqual(1024 ** 2);
  });

  test('drops a picture block that declares more bytes than it has', async () => {
    const block = buildPictureBlock({ mimeType: 'image/png', width: 1, height: 1, bytes: Buffer.alloc(50, 1) });
    block.writeUInt32BE(0xff_ff_ff_ff, 4);
    const comment = `METADATA_BLOCK_PICTURE=${block.toString('base64')}`;
    await make('block.mka', '-i', file('second.wav'), '-metadata', comment, '-c:a', 'flac');
    await expectEncoded('block.mka');
    expect((await readTags(outputFile('block.mka'))).picture).toBeUndefined();
  });
});
