import { MalformedFile } from '../malformed-file.ts';
import type { OutputFile } from '../output-file.ts';
import { replaceFile } from '../splice.ts';
import type { FileTags } from '../tags/file-tags.ts';
import { buildVorbisComments, commentsOf, pictureComment, readVorbisComments } from '../vorbis/comments.ts';
import { WindowedFile } from '../windowed-file.ts';
import { crc32 } from './crc32.ts';
import { buildPage, maxLacingValue, maxLacingValues, pageHeaderSize, readPageHeader } from './page.ts';
import { pageFlags } from './page-flags.ts';

/** Location of the comments in the second packet, and the number of header packets. */
interface CommentPacket {
  headerPackets: number;
  /** Bytes before the comments. */
  prefixBytes: number;
  build(comments: Buffer): Buffer;
}

const opusTags = Buffer.from('OpusTags');
const vorbisComments = Buffer.from('\u0003vorbis', 'latin1');
/** FLAC's mapping to Ogg 1.0 (RFC 9639, 10.1): the first packet counts the header packets that follow. */
const flacMark = Buffer.from('\u007fFLAC', 'latin1');
const flacHeadersAt = 7;

function describeComments(identification: Buffer, packet: Buffer): CommentPacket {
  const begins = (bytes: Buffer, magic: Buffer): boolean => bytes.subarray(0, magic.length).equals(magic);
  if (begins(packet, opusTags)) {
    const build = (comments: Buffer): Buffer => Buffer.concat([opusTags, comments]);
    return { headerPackets: 2, prefixBytes: opusTags.length, build };
  }
  if (begins(packet, vorbisComments)) {
    // The last bit marks the packet as whole (Vorbis I, 5.2.1).
    const build = (comments: Buffer): Buffer => Buffer.concat([vorbisComments, comments, Buffer.of(1)]);
    return { headerPackets: 3, prefixBytes: vorbisComments.length, build };
  }
  if (!begins(identification, flacMark) || identification.length < flacHeadersAt + 2)
    throw new MalformedFile('an Ogg stream that is not Opus, Vorbis or FLAC');
  const build = (comments: Buffer): Buffer => {
    const header = Buffer.from(packet.subarray(0, 4));
    header.writeUIntBE(comments.length, 1, 3);
    return Buffer.concat([header, comments]);
  };
  return { headerPackets: 1 + identification.readUInt16BE(flacHeadersAt), prefixBytes: 4, build };
}

/**
 * Replaces the comments of a file with one Opus, Vorbis or FLAC stream. Audio packets and their granule positions stay
 * unchanged.
 */
export async function tagOgg(path: string, tags: FileTags, onCopied: () => void): Promise<void> {
  await WindowedFile.use(path, async (file) => {
    const { identification, comments, others, serial, pages, end } = await readHeaders(file);
    // The identification header has the first page to itself (RFC 3533, 4).
    const rebuilt = [replaceComments(identification, comments, tags), ...others];
    const headerPages = [...layOutPages([identification], serial, 0), ...layOutPages(rebuilt, serial, 1)];
    await replaceFile(path, async (output) => {
      for (const page of headerPages) await output.append(page);
      await copyPages(file, end, headerPages.length - pages, output, onCopied);
    });
  });
}

/** Returns the comments of a file with one Opus, Vorbis or FLAC stream. */
export async function readOggComments(file: WindowedFile) {
  const { identification, comments } = await readHeaders(file);
  return readVorbisComments(comments.subarray(describeComments(identification, comments).prefixBytes));
}

/** More bytes than any ordinary file has before its audio. */
const maxHeaderBytes = 16 * 1024 ** 2;

interface Headers {
  identification: Buffer;
  comments: Buffer;
  others: Buffer[];
  serial: number;
  /** Number of pages that they take; `end` is the offset of the first audio page. */
  pages: number;
  end: number;
}

async function readHeaders(file: WindowedFile): Promise<Headers> {
  const packets: Buffer[] = [];
  let open: Buffer[] = [];
  let [at, pages, wanted, serial] = [0, 0, Infinity, 0];
  while (packets.length < wanted) {
    if (at > maxHeaderBytes) throw new MalformedFile('headers that are too long');
    const page = readPageHeader(await file.read(at, pageHeaderSize + maxLacingValues));
    serial = page.serial;
    at += pageHeaderSize + page.lacing.length;
    for (const length of page.lacing) {
      open.push(Buffer.from(await file.read(at, length)));
      at += length;
      if (length === maxLacingValue) continue;
      packets.push(Buffer.concat(open));
      open = [];
    }
    pages += 1;
    const [identification, comments] = packets;
    if (identification !== undefined && comments !== undefined) {
      wanted = describeComments(identification, comments).headerPackets;
    }
  }
  if (packets.length > wanted || open.length > 0) throw new MalformedFile('headers and audio on one Ogg page');
  const [identification, comments, ...others] = packets;
  if (identification === undefined || comments === undefined) throw new MalformedFile('an Ogg file without headers');
  return { identification, comments, others, serial, pages, end: at };
}

function replaceComments(identification: Buffer, packet: Buffer, tags: FileTags): Buffer {
  const { prefixBytes, build } = describeComments(identification, packet);
  const { vendor, comments: own } = readVorbisComments(packet.subarray(prefixBytes));
  const picture = tags.cover === undefined ? [] : [pictureComment(tags.cover)];
  return build(buildVorbisComments({ vendor, comments: [...own, ...commentsOf(tags), ...picture] }));
}

/** Fills pages with consecutive packets. Audio starts on a new page. */
function layOutPages(packets: readonly Buffer[], serial: number, firstSequence: number): Buffer[] {
  const pieces = packets.flatMap((packet) => {
    const count = Math.floor(packet.length / maxLacingValue) + 1;
    return Array.from({ length: count }, (_, index) => ({
      bytes: packet.subarray(index * maxLacingValue, (index + 1) * maxLacingValue),
      isFirst: index === 0,
      isLast: index === count - 1,
    }));
  });
  const pages: Buffer[] = [];
  for (let from = 0; from < pieces.length; from += maxLacingValues) {
    const onPage = pieces.slice(from, from + maxLacingValues);
    const sequence = firstSequence + pages.length;
    const continued = onPage[0]?.isFirst === true ? 0 : pageFlags.continued;
    const header = {
      flags: sequence === 0 ? pageFlags.beginOfStream : continued,
      // -1 if no packet ends on the page.
      granulePosition: onPage.some(({ isLast }) => isLast) ? 0 : -1,
      serial,
      sequence,
      lacing: Uint8Array.from(onPage, ({ bytes }) => bytes.length),
    };
    pages.push(buildPage(header, Buffer.concat(onPage.map(({ bytes }) => bytes))));
  }
  return pages;
}

const sequenceAt = 18;
const checkSumAt = 22;

/** Copies audio pages. Only their sequence numbers and checksums change. */
async function copyPages(
  file: WindowedFile,
  from: number,
  sequenceShift: number,
  output: OutputFile,
  onCopied: () => void,
): Promise<void> {
  for (let at = from; at < file.size;) {
    const { lacing, sequence } = readPageHeader(await file.read(at, pageHeaderSize + maxLacingValues));
    const size = pageHeaderSize + lacing.length + lacing.reduce((sum, length) => sum + length, 0);
    const page = Buffer.from(await file.read(at, size));
    if (page.length < size) throw new MalformedFile('the last page is cut off');
    if (sequenceShift !== 0) {
      page.writeUInt32LE(sequence + sequenceShift, sequenceAt);
      page.writeUInt32LE(0, checkSumAt);
      page.writeUInt32LE(crc32(page), checkSumAt);
    }
    await output.append(page);
    at += size;
    onCopied();
  }
}
