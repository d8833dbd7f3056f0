import { figures } from '../figures.ts';
import { MalformedFile } from '../malformed-file.ts';
import { spliceFile, type SplicePart } from '../splice.ts';
import type { FileTags } from '../tags/file-tags.ts';
import { WindowedFile } from '../windowed-file.ts';
import { boxHeaderSize, buildBox, findBox, findMovie, readBoxes, readUInt32, replaceBoxes, type Box } from './box.ts';
import { moveFragmentIndex, readFragmentIndexSize } from './fragment-index.ts';
import { buildChunkOffsets, largestOffset32, readChunkOffsets, type OffsetType } from './chunk-offsets.ts';
import { buildChapterSamples, buildChapterTrack, fromBeginning } from './chapter-track.ts';
import { buildUserData } from './item-list.ts';

/** Replaces the tags of an MP4. Its samples stay unchanged but move; their tables are adjusted. */
export async function tagM4a(path: string, tags: FileTags, onCopied: () => void): Promise<void> {
  await WindowedFile.use(path, async (file) => {
    const { at, size } = await findMovie(file);
    const movie = Buffer.from(await file.read(at, size));
    const placesFor = (isLarge: boolean): Places => {
      // The size of moov depends on the size of the offsets, not on their values.
      const draft = rebuildMovie(movie, tags, { mediaShift: 0, textsAt: 0, isLarge });
      const mediaShift = draft.length - size;
      return { mediaShift, textsAt: file.size + mediaShift + boxHeaderSize, isLarge };
    };
    const usual = placesFor(false);
    const places = usual.textsAt > largestOffset32 ? placesFor(true) : usual;
    const parts: SplicePart[] = [
      { from: 0, to: at },
      rebuildMovie(movie, tags, places),
      ...(await moveMedia(file, movie, { from: at + size, to: file.size }, places.mediaShift)),
    ];
    if (tags.chapters.length > 0)
      parts.push(buildBox('mdat', Buffer.concat(buildChapterSamples(fromBeginning(tags.chapters)))));
    await spliceFile(path, file, parts, onCopied);
  });
}

/** Parts after moov: the media and, in a fragmented file, the index of fragments at its end. */
async function moveMedia(
  file: WindowedFile,
  movie: Buffer,
  { from, to }: { from: number; to: number },
  shift: number,
): Promise<SplicePart[]> {
  if (!readBoxes(findBox(movie, ['moov'])).some(({ type }) => type === 'mvex')) return [{ from, to }];
  const size = await readFragmentIndexSize(file);
  const index = Buffer.from(await file.read(to - size, size));
  return [{ from, to: to - size }, moveFragmentIndex(findBox(index, ['mfra']), shift)];
}

interface Places {
  /** Bytes by which the samples move. */
  mediaShift: number;
  textsAt: number;
  /** Offsets have 64 bits. */
  isLarge: boolean;
}

function rebuildMovie(movie: Buffer, tags: FileTags, places: Places): Buffer {
  const hasChapters = tags.chapters.length > 0;
  const boxes = readBoxes(findBox(movie, ['moov'])).filter(({ type }) => type !== 'udta');
  const header = findBox(movie, ['moov', 'mvhd']);
  if (header[0] !== 0) throw new MalformedFile('an MP4 of more than 32 bits of time');
  // The last field of mvhd is the next free track id.
  const chaptersId = readUInt32(header, header.length - 4);
  const rebuilt = boxes.map(({ type, body }) => {
    if (type === 'trak') return buildBox(type, rebuildTrack(body, places, hasChapters ? chaptersId : undefined));
    const isExtended = type === 'mvhd' && hasChapters;
    return buildBox(type, isExtended ? Buffer.concat([body.subarray(0, -4), figures([chaptersId + 1])]) : body);
  });
  if (hasChapters) {
    const place = {
      trackId: chaptersId,
      movieTimescale: readUInt32(header, 12),
      movieDuration: readUInt32(header, 16),
      samplesAt: places.textsAt,
      offsetType: places.isLarge ? ('co64' as const) : ('stco' as const),
    };
    rebuilt.push(buildChapterTrack(fromBeginning(tags.chapters), place));
  }
  return buildBox('moov', Buffer.concat([...rebuilt, buildUserData(tags)]));
}

/** `chaptersId` is the chapter track of this track, if any. */
function rebuildTrack(track: Buffer, { mediaShift, isLarge }: Places, chaptersId: number | undefined): Buffer {
  const type = chunkOffsetType(track);
  const shift = (old: Buffer): Box => {
    const offsets = readChunkOffsets(old, type).map((offset) => offset + mediaShift);
    return buildChunkOffsets(offsets, isLarge ? 'co64' : type);
  };
  const shifted = replaceBoxes(track, new Map([[type, shift]]));
  if (chaptersId === undefined) return shifted;
  const reference = buildBox('tref', buildBox('chap', figures([chaptersId])));
  const beforeMedia = (box: Box): Buffer => {
    const bytes = buildBox(box.type, box.body);
    return box.type === 'mdia' ? Buffer.concat([reference, bytes]) : bytes;
  };
  return Buffer.concat(readBoxes(shifted).map(beforeMedia));
}

function chunkOffsetType(track: Buffer): OffsetType {
  const table = readBoxes(findBox(track, ['mdia', 'minf', 'stbl']));
  return table.some(({ type }) => type === 'co64') ? 'co64' : 'stco';
}
