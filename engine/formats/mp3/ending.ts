import type { Ending } from '../ending.ts';
import { WindowedFile } from '../windowed-file.ts';
import { id3v2Size } from './id3v2.ts';
import { infoPlaces, readInfoFrame } from './info-frame.ts';

/** Enough for an ID3v2 header or the first frame. */
const headBytes = 4096;

/**
 * Encoders that count bytes from the Info frame to the end of the last frame. Others also count tags, or count
 * otherwise.
 */
const trustedEncoders = new Set(['LAME', 'Lavf', 'Lavc']);

/** Detects missing bytes that ffprobe's length hides, because that length includes the encoder's delay and padding. */
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
