import type { Ending } from '../ending.ts';
import { MalformedFile } from '../malformed-file.ts';
import { WindowedFile } from '../windowed-file.ts';
import { type FrameHeader, readFrameHeader } from './frame.ts';
import { id3v2Size } from './id3v2.ts';
import { infoPlaces, readInfoFrame, trustedEncoders } from './info-frame.ts';

/** Enough for an ID3v2 header or the first frame. */
const headBytes = 4096;

/** Bytes at the end of a file. They hold ten of the largest frames, which have 1,441 bytes. */
const tailBytes = 16 * 1024;

/** Consecutive frames of one rate are no coincidence in other data. */
const leastFrames = 3;

/** Frames with a checksum have the same size as those without, for which `readFrameHeader` is made. */
const noChecksumBit = 1;

function frameAt(bytes: Buffer, at: number): FrameHeader | undefined {
  try {
    const [sync = 0, kind = 0, ...rest] = bytes.subarray(at, at + 4);
    return readFrameHeader(Uint8Array.of(sync, kind | noChecksumBit, ...rest));
  } catch (error) {
    if (error instanceof MalformedFile) return undefined;
    throw error;
  }
}

/** True if the frames at the end of a file go on beyond it. Reads backwards, so that each place is read once. */
function endsWithinFrame(tail: Buffer): boolean {
  /** Keys are places of frames. A value counts the whole frames of one rate before one that goes beyond the end. */
  const runs = new Map<number, { frames: number; sampleRate: number }>();
  for (let at = tail.length - 1; at >= 0; at -= 1) {
    const frame = tail[at] === 0xff ? frameAt(tail, at) : undefined;
    if (frame === undefined) continue;
    const { sampleRate, size } = frame;
    const next = runs.get(at + size);
    if (at + size > tail.length) runs.set(at, { frames: 0, sampleRate });
    else if (next?.sampleRate === sampleRate) runs.set(at, { frames: next.frames + 1, sampleRate });
    if (runs.get(at)?.frames === leastFrames) return true;
  }
  return false;
}

/** Detects missing bytes that ffprobe's length hides, because that length includes the encoder's delay and padding. */
async function findEnding(file: WindowedFile): Promise<Ending> {
  const tagSize = id3v2Size(await file.read(0, headBytes));
  const head = await file.read(tagSize, headBytes);
  const info = readInfoFrame(head);
  const isCounted = info?.isComplete === true && trustedEncoders.has(info.encoder);
  if (isCounted && tagSize + head.readUInt32BE(info.at + infoPlaces.bytes) > file.size) return { kind: 'cut' };
  const tail = await file.read(Math.max(tagSize, file.size - tailBytes), tailBytes);
  return { kind: endsWithinFrame(tail) ? 'cut' : 'unknown' };
}

export async function readMp3Ending(path: string): Promise<Ending> {
  return await WindowedFile.use(path, findEnding);
}
