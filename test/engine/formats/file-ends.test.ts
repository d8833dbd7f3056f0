import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readFileEnds } from '../../../engine/formats/file-ends.ts';
import { musicOgg } from '../../support/media.ts';
import { makeMedia } from '../../support/media-files.ts';
import { addId3v2Footer } from './mp3/id3v2-footer.ts';
import { useFolder } from '../../support/folder.ts';

const folder = useFolder();

test('the head starts after an ID3v2 tag and its footer', async () => {
  const path = await makeMedia(folder, 'a.mp3', '-i', musicOgg, '-t', '3', '-b:a', '128k');
  const plain = await readFileEnds(path);
  const footerPath = join(folder, 'footer.mp3');
  await writeFile(footerPath, addId3v2Footer(await readFile(path)));
  expect((await readFileEnds(footerPath)).head.equals(plain.head)).toBe(true);
});

test('head and tail are the whole of a short file, and the first and last 128 KiB of a long one', async () => {
  const path = join(folder, 'file');
  for (const size of [0, 1000, 1_000_000]) {
    const bytes = Buffer.from(Array.from({ length: size }, (_, index) => index % 251));
    await writeFile(path, bytes);
    const { head, tail } = await readFileEnds(path);
    expect(head.equals(bytes.subarray(0, 128 * 1024))).toBe(true);
    expect(tail.equals(bytes.subarray(-128 * 1024))).toBe(true);
  }
});
