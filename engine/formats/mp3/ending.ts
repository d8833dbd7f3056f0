import type { Ending } from '../ending.ts';
import { WindowedFile } from '../windowed-file.ts';
import { id3v2Size } from './id3v2.ts';
import { infoPlaces, readInfoFrame } from './info-frame.ts';

/** Of an ID3v2 tag's header, or the first frame. */
const headBytes = 4096;

/** Encoders whose count of bytes is from the Info frame to the end of the last frame; others count tags too, or what they like. */
const trustedEncoders = new Set(['LAME', 'Lavf', 'Lavc']);

/** Shows that something is missing where ffprobe's length, which has the encoder's delay and padding in it, cannot. */
async function findEnding(file: WindowedFile): Promise<Ending> {
  const tagSize = id3v2Size(await file.read(0, headBytes));
  const head = await file.read(tagSize, headBytes);
  const info = readInfoFrame(head);
  if (info?.isComplete !== true || !trustedEncoders.has(info.encoder)) return { kind: 'unknown' };
  const bytes = head.readUInt32BE(info.at + infoPlaces.bytes);
  return { kind: tagSize + bytes > file.size ? 'cut' : 'unknown' };
}

export async function readMp3Ending(path: string): Promise<Ending> {
  return await WindowedFile.use(path, findEnding);
}
