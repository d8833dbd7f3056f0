import type { WindowedFile } from '../windowed-file.ts';
import { readFrameHeader, type FrameHeader } from './frame.ts';
import { id3v2HeaderSize, id3v2Size } from './id3v2.ts';
import { readInfoFrame, type InfoFrame } from './info-frame.ts';

export interface Mp3Head {
  /** Bytes of the ID3v2 tag; 0 without one. */
  tagSize: number;
  /** Copy of the first frame, which is audio or the Info frame. */
  firstFrame: Buffer;
  header: FrameHeader;
  /** Undefined if the first frame is not an Info frame, or if its fields are incomplete or at an unusual offset. */
  info: InfoFrame | undefined;
}

export async function readMp3Head(file: WindowedFile): Promise<Mp3Head> {
  const tagSize = id3v2Size(await file.read(0, id3v2HeaderSize));
  const header = readFrameHeader(await file.read(tagSize, 4));
  const firstFrame = Buffer.from(await file.read(tagSize, header.size));
  const info = readInfoFrame(firstFrame);
  const isUsual = info?.isComplete === true && info.at === header.mainDataAt;
  return { tagSize, firstFrame, header, info: isUsual ? info : undefined };
}
