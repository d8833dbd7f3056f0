import { MalformedFile } from '../malformed-file.ts';
import { spliceFile, type SplicePart } from '../splice.ts';
import type { FileTags } from '../tags/file-tags.ts';
import { buildPictureBlock, buildVorbisComments, commentsOf, readVorbisComments } from '../vorbis/comments.ts';
import { WindowedFile } from '../windowed-file.ts';

/** Types of metadata blocks (RFC 9639, 8.1). */
const blockTypes = { padding: 1, comment: 4, picture: 6 } as const;

const magicBytes = 4;
const headerBytes = 4;
/** Largest body of a block, whose size field has 24 bits. */
const maxBlockBytes = 2 ** 24 - 1;
/** More blocks than any ordinary file has. */
const maxBlocks = 1000;

interface BlockPlace {
  type: number;
  /** Offset of the header. */
  at: number;
  end: number;
}

/** Replaces the file's comments and picture. Frames, STREAMINFO and all other blocks stay unchanged. */
export async function tagFlac(path: string, tags: FileTags, onCopied: () => void): Promise<void> {
  await WindowedFile.use(path, async (file) => {
    const blocks = await findBlocks(file);
    const audioAt = blocks.at(-1)?.end ?? 0;
    const { vendor, comments } = await readFlacComments(file);
    const replaced: number[] = Object.values(blockTypes);
    const kept: Buffer[] = [];
    for (const { type, at, end } of blocks) {
      if (replaced.includes(type)) continue;
      const own = await copyOf(file, at, end);
      // Clears the last-block flag.
      own[0] = type;
      kept.push(own);
    }
    // The encoder's own comments stay. One of them assigns channels to speakers.
    const comment = buildVorbisComments({ vendor, comments: [...comments, ...commentsOf(tags)] });
    const pictures = tags.cover === undefined ? [] : [block(blockTypes.picture, buildPictureBlock(tags.cover), false)];
    const head = [await copyOf(file, 0, magicBytes), ...kept, ...pictures, block(blockTypes.comment, comment, true)];
    const parts: SplicePart[] = [...head, { from: audioAt, to: file.size }];
    await spliceFile(path, file, parts, onCopied);
  });
}

/** Returns the comments of a FLAC file. */
export async function readFlacComments(file: WindowedFile) {
  const place = (await findBlocks(file)).find(({ type }) => type === blockTypes.comment);
  if (place === undefined) throw new MalformedFile('a FLAC file without comments');
  return readVorbisComments(await copyOf(file, place.at + headerBytes, place.end));
}

async function copyOf(file: WindowedFile, from: number, to: number): Promise<Buffer> {
  return Buffer.from(await file.read(from, to - from));
}

function block(type: number, body: Buffer, isLast: boolean): Buffer {
  if (body.length > maxBlockBytes) throw new MalformedFile('tags too large for FLAC');
  const header = Buffer.alloc(headerBytes);
  header[0] = type | (isLast ? 0x80 : 0);
  header.writeUIntBE(body.length, 1, 3);
  return Buffer.concat([header, body]);
}

async function findBlocks(file: WindowedFile): Promise<BlockPlace[]> {
  if ((await file.read(0, magicBytes)).toString('latin1') !== 'fLaC') throw new MalformedFile('no FLAC file');
  const blocks: BlockPlace[] = [];
  for (let at = magicBytes, isLast = false; !isLast;) {
    const header = await file.read(at, headerBytes);
    if (header.length < headerBytes || blocks.length === maxBlocks)
      throw new MalformedFile('a FLAC file without frames');
    const [flags = 0] = header;
    isLast = (flags & 0x80) !== 0;
    const end = at + headerBytes + header.readUIntBE(1, 3);
    blocks.push({ type: flags & 0x7f, at, end });
    at = end;
  }
  return blocks;
}
