import { spliceFile } from '../splice.ts';
import type { FileTags } from '../tags/file-tags.ts';
import { WindowedFile } from '../windowed-file.ts';
import { id3v2HeaderSize, id3v2Size } from './id3v2.ts';
import { buildId3v2Tag } from './id3v2-tag.ts';

/** Replaces the file's own tag. Every byte after it stays unchanged, including the Info frame with its gapless data. */
export async function tagMp3(path: string, tags: FileTags, onCopied: () => void): Promise<void> {
  await WindowedFile.use(path, async (file) => {
    const oldSize = id3v2Size(await file.read(0, id3v2HeaderSize));
    await spliceFile(path, file, [buildId3v2Tag(tags), { from: oldSize, to: file.size }], onCopied);
  });
}
