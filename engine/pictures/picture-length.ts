import { open } from 'node:fs/promises';
import { MalformedFile } from '../formats/malformed-file.ts';
import { WindowedFile } from '../formats/windowed-file.ts';
import { boxHeaderSize, findBox, findMovie, readBoxes, readUInt32 } from '../formats/isobmff/box.ts';

/**
 * Writes into a finished MP4, whose index precedes its samples, for how many seconds its pictures are shown (ISO/IEC
 * 14496-12, 8.2.2, 8.3.2 and 8.6.6). ffmpeg 5.1 derives this from the times of decoding. If the rate varies and pictures
 * are reordered, they state another length.
 */
export async function writePictureLength(path: string, seconds: number): Promise<void> {
  const { at, movie } = await WindowedFile.use(path, async (file) => {
    const place = await findMovie(file);
    return { at: place.at, movie: Buffer.from(await file.read(place.at, place.size)) };
  });
  setPictureLength(movie.subarray(boxHeaderSize), seconds);
  const file = await open(path, 'r+');
  try {
    await file.write(movie, 0, movie.length, at);
  } finally {
    await file.close();
  }
}

const isOfPictures = (track: Buffer): boolean => findBox(track, ['mdia', 'hdlr']).toString('latin1', 8, 12) === 'vide';

/** Changes the content of moov in place. */
function setPictureLength(movie: Buffer, seconds: number): void {
  const header = findBox(movie, ['mvhd']);
  const tracks = readBoxes(movie).filter(({ type }) => type === 'trak');
  const pictures = tracks.map(({ body }) => body).find(isOfPictures);
  if (pictures === undefined) throw new MalformedFile('an MP4 without pictures');
  const timescale = readUInt32(header, 12);
  const duration = Math.round(seconds * timescale);
  const trackHeader = findBox(pictures, ['tkhd']);
  if (header[0] !== 0 || trackHeader[0] !== 0) throw new MalformedFile('an MP4 of more than 32 bits of time');
  trackHeader.writeUInt32BE(duration, 20);
  const edits = readBoxes(pictures).find(({ type }) => type === 'edts');
  const { before, mediaTime } =
    edits === undefined ? { before: 0, mediaTime: 0 } : setLastEdit(findBox(edits.body, ['elst']), duration);
  setMediaLength(findBox(pictures, ['mdia', 'mdhd']), seconds - before / timescale, mediaTime);
  const durations = tracks.map(({ body }) => readUInt32(findBox(body, ['tkhd']), 20));
  header.writeUInt32BE(Math.max(...durations), 16);
}

/** All edits together last for `duration`, of which the first ones may delay the pictures for `before`. */
function setLastEdit(list: Buffer, duration: number): { before: number; mediaTime: number } {
  if (list[0] !== 0) throw new MalformedFile('an edit of more than 32 bits of time');
  const [count, entryBytes] = [readUInt32(list, 4), 12];
  const places = Array.from({ length: count }, (_, index) => 8 + index * entryBytes);
  const before = places.slice(0, -1).reduce((sum, place) => sum + readUInt32(list, place), 0);
  const last = places.at(-1);
  if (last === undefined) return { before, mediaTime: 0 };
  list.writeUInt32BE(Math.max(0, duration - before), last);
  return { before, mediaTime: readUInt32(list, last + 4) };
}

/** The media begin at the first decoding, `mediaTime` ticks before the first picture is shown. */
function setMediaLength(header: Buffer, shownSeconds: number, mediaTime: number): void {
  const ticksIn = (timescale: number): number => Math.max(0, Math.round(shownSeconds * timescale) + mediaTime);
  if (header[0] === 0) header.writeUInt32BE(ticksIn(readUInt32(header, 12)), 16);
  else header.writeBigUInt64BE(BigInt(ticksIn(readUInt32(header, 20))), 24);
}
