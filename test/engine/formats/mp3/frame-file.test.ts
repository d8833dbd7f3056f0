import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MalformedFile } from '../../../../engine/formats/malformed-file.ts';
import { FrameFile } from '../../../../engine/formats/mp3/frame-file.ts';
import { speech } from '../../sound/segmented/inputs.ts';
import { inFolder, prepare, singleRun } from '../../sound/segmented/support.ts';
import { addId3v2Footer } from './id3v2-footer.ts';

/** An mp3 of 12.3 s as the container writes it, as bytes and as a file to change. */
async function withMp3(action: (bytes: Buffer, path: string) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    const path = join(folder, 'whole');
    const input = await speech({ seconds: 12.3 });
    await singleRun(input, (await prepare(input, { format: 'mp3_64' })).plan, path);
    await action(await readFile(path), path);
  });
}

test('the frames after an ID3v2 tag are the same with and without a footer', async () => {
  await withMp3(async (bytes, path) => {
    const plain = await FrameFile.open(path);
    const changedPath = `${path}-footer`;
    await writeFile(changedPath, addId3v2Footer(bytes));
    const changed = await FrameFile.open(changedPath);
    expect(changed.frameCount).toBe(plain.frameCount);
    expect(changed.tag.length).toBe(plain.tag.length + 10);
    expect(changed.infoFrame.equals(plain.infoFrame)).toBe(true);
    expect((await changed.frame(9)).bytes.equals((await plain.frame(9)).bytes)).toBe(true);
    await plain.close();
    await changed.close();
  });
});

test.each([
  [
    'a file with a stereo frame among mono ones',
    (bytes: Buffer) => {
      const last = bytes.lastIndexOf(Buffer.from([0xff, 0xfb]));
      bytes.writeUInt8((bytes[last + 3] ?? 0) & 0x3f, last + 3);
      return bytes;
    },
  ],
  ['an empty file', () => Buffer.alloc(0)],
  ['a file of another format', () => Buffer.from('RIFF....WAVE')],
  ['a file whose last frame is cut off', (bytes: Buffer) => bytes.subarray(0, -10)],
  [
    'a file without an Info frame',
    (bytes: Buffer) =>
      Buffer.concat([
        bytes.subarray(0, bytes.indexOf('Info')),
        Buffer.alloc(4),
        bytes.subarray(bytes.indexOf('Info') + 4),
      ]),
  ],
  [
    'a tag whose size is not synchsafe',
    (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 6), Buffer.from([0x80]), bytes.subarray(7)]),
  ],
])('%s is rejected as malformed', async (_what, change) => {
  await withMp3(async (bytes, path) => {
    await writeFile(path, change(bytes));
    await expect(FrameFile.open(path)).rejects.toThrow(MalformedFile);
  });
});
