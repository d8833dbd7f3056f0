import { formatCueTime } from '../../../contract/cue-time.ts';
import { figures } from '../figures.ts';
import { MalformedFile } from '../malformed-file.ts';
import { utf8Within, type FileTags, type Picture, type TaggedChapter } from '../tags/file-tags.ts';
import { tagNames } from '../tags/tag-names.ts';

/**
 * Comment header of Vorbis, which Opus and FLAC share (Vorbis I, 5; RFC 7845, 5.2; RFC 9639, 8.6), without its framing.
 */
export interface VorbisComments {
  /** Name of the writing program. */
  vendor: Buffer;
  /** `NAME=value` */
  comments: Buffer[];
}

/** Limit for the name and value of one comment; the container accepts far less. */
const maxCommentBytes = 1024 ** 2;
/** More comments than any ordinary file has. */
const maxComments = 100_000;

export function readVorbisComments(bytes: Buffer): VorbisComments {
  let at = 0;
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new MalformedFile('a comment header that is too short');
    at += length;
    return bytes.subarray(at - length, at);
  };
  const vendor = take(take(4).readUInt32LE());
  const count = take(4).readUInt32LE();
  if (count > maxComments) throw new MalformedFile('too many comments');
  const comments: Buffer[] = [];
  while (comments.length < count) comments.push(take(take(4).readUInt32LE()));
  return { vendor, comments };
}

export function buildVorbisComments({ vendor, comments }: VorbisComments): Buffer {
  const parts = [vendor, undefined, ...comments].map((bytes) => {
    const size = Buffer.alloc(4);
    size.writeUInt32LE(bytes === undefined ? comments.length : bytes.length);
    return bytes === undefined ? size : Buffer.concat([size, bytes]);
  });
  return Buffer.concat(parts);
}

/** Field name. Custom names may use ASCII from space to `}` except `=` (Vorbis I, 5.2.2). */
function nameOf(name: string): string {
  return tagNames.get(name)?.vorbis ?? name.replaceAll(/[^ -<>-}]/g, '_').toUpperCase();
}

function comment(name: string, value: string): Buffer {
  return utf8Within(`${name}=${value}`, maxCommentBytes);
}

/** All comments except the picture, which Ogg and FLAC store in different places. */
export function commentsOf({ metadata, chapters }: FileTags): Buffer[] {
  return [...[...metadata].map(([name, value]) => comment(nameOf(name), value)), ...chapters.flatMap(chapterComments)];
}

/** The "chapter extension" of Xiph's wiki, numbered from CHAPTER000 as libavformat writes it. */
function chapterComments({ startMs, title, url }: TaggedChapter, index: number): Buffer[] {
  const name = `CHAPTER${String(index).padStart(3, '0')}`;
  return [
    comment(name, formatCueTime(startMs, '.')),
    comment(`${name}NAME`, title),
    ...(url === undefined ? [] : [comment(`${name}URL`, url)]),
  ];
}

/** RFC 9639, 8.8.1 */
const frontCover = 3;

/** A PICTURE block (RFC 9639, 8.8), without the block's header. */
export function buildPictureBlock({ mimeType, width, height, bytes }: Picture): Buffer {
  const bitsPerPixel = 24;
  return Buffer.concat([
    figures([frontCover, mimeType.length]),
    Buffer.from(mimeType, 'latin1'),
    // No description, and no palette.
    figures([0, width, height, bitsPerPixel, 0, bytes.length]),
    bytes,
  ]);
}

/** Returns the picture's own bytes; undefined if the block is incomplete. */
export function readPictureBlock(block: Buffer): Buffer | undefined {
  let at = 4;
  // Type, MIME type, description, four numbers, picture.
  for (const skip of [0, 16]) {
    if (at + 4 > block.length) return undefined;
    at += 4 + block.readUInt32BE(at) + skip;
  }
  if (at + 4 > block.length) return undefined;
  const size = block.readUInt32BE(at);
  return at + 4 + size > block.length ? undefined : block.subarray(at + 4, at + 4 + size);
}

/** The comment that carries the picture in Ogg, which has no picture block. */
export function pictureComment(picture: Picture): Buffer {
  return Buffer.from(`METADATA_BLOCK_PICTURE=${buildPictureBlock(picture).toString('base64')}`, 'latin1');
}
