import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { MalformedFile } from '../malformed-file.ts';
import { clusterId, headerBytes, readElement, segmentId, tracksId } from './element.ts';

/**
 * Placeholder name that ffmpeg 5.1 gives to a track. The name's element is as long as the two elements that replace it,
 * so nothing in the file moves and its indexes stay valid.
 */
export const codecDelayPlace = '~CodecDelayPlace~';

/**
 * RFC 9559, 5.1.4.1: `Name`, `CodecDelay` (nanoseconds of decoder output before the audible content) and `SeekPreRoll`;
 * RFC 8794: `CRC-32`.
 */
const [nameId, codecDelayId, seekPreRollId, crcId] = [0x53_6e, 0x56_aa, 0x56_bb, 0xbf];

/** `Name` has an id of two bytes and a size of one. */
const placeBytes = codecDelayPlace.length + 3;

function buildUnsigned(id: number, value: number, length: number): Buffer {
  const element = Buffer.alloc(3 + length);
  element.writeUInt16BE(id);
  element[2] = 0x80 | length;
  element.writeUIntBE(value, 3 + length - 6, 6);
  return element;
}

/** The two elements that replace the name, of 11 and 9 bytes. */
function buildDelay(seconds: number, preRollSeconds: number): Buffer {
  const elements = [
    buildUnsigned(codecDelayId, Math.round(seconds * 1e9), 8),
    buildUnsigned(seekPreRollId, Math.round(preRollSeconds * 1e9), 6),
  ];
  return Buffer.concat(elements);
}

/** Returns the `Tracks` element with a delay in place of the name and a new checksum. */
export function withCodecDelay(tracks: Buffer, seconds: number, preRollSeconds: number): Buffer {
  const name = Buffer.concat([Buffer.from([nameId >> 8, nameId & 0xff, 0x80 | codecDelayPlace.length])]);
  const at = tracks.indexOf(Buffer.concat([name, Buffer.from(codecDelayPlace, 'latin1')]));
  if (at === -1) throw new MalformedFile('a Matroska track without a place for its delay');
  const changed = Buffer.from(tracks);
  const delay = buildDelay(seconds, preRollSeconds);
  if (delay.length !== placeBytes) throw new RangeError('a delay is as long as the name in its place');
  delay.copy(changed, at);
  const first = readElement(changed);
  if (first?.id === crcId && first.bodySize === 4) changed.writeUInt32LE(crc32(changed.subarray(6)), 2);
  return changed;
}

/**
 * Writes into a finished file how much of the decoded sound precedes the audible content. ffmpeg 5.1 does this for Opus
 * only.
 *
 * `seconds` is the length of that lead. `preRollSeconds` is what a decoder needs before a seek position.
 */
export async function writeCodecDelay(path: string, seconds: number, preRollSeconds: number): Promise<void> {
  const file = await open(path, 'r+');
  try {
    const read = async (at: number, length: number): Promise<Buffer> => {
      const buffer = Buffer.alloc(length);
      const { bytesRead } = await file.read(buffer, 0, length, at);
      return buffer.subarray(0, bytesRead);
    };
    for (let at = 0; ;) {
      const element = readElement(await read(at, headerBytes));
      if (element === undefined || element.id === clusterId) throw new MalformedFile('a Matroska file without tracks');
      const { id, headerSize, bodySize = 0 } = element;
      if (id === tracksId) {
        const changed = withCodecDelay(await read(at + headerSize, bodySize), seconds, preRollSeconds);
        await file.write(changed, 0, changed.length, at + headerSize);
        return;
      }
      at += id === segmentId ? headerSize : headerSize + bodySize;
    }
  } finally {
    await file.close();
  }
}
