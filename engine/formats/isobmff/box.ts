import { MalformedFile } from '../malformed-file.ts';
import type { WindowedFile } from '../windowed-file.ts';

/** A box of an MP4 file (ISO/IEC 14496-12, 4.2) within a buffer. */
export interface Box {
  type: string;
  /** Content without size and type. */
  body: Buffer;
}

export const boxHeaderSize = 8;
/** Bytes of a header that has a 64-bit size. */
export const longHeaderSize = 16;

/** Boxes of an audio file that contain only boxes. */
const containerBoxes = new Set(['moov', 'trak', 'edts', 'mdia', 'minf', 'stbl']);

export function readBoxes(bytes: Buffer): Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at < bytes.length;) {
    const size = at + boxHeaderSize <= bytes.length ? bytes.readUInt32BE(at) : 0;
    if (size < boxHeaderSize || at + size > bytes.length) throw new MalformedFile('an MP4 box of an odd size');
    boxes.push({
      type: bytes.toString('latin1', at + 4, at + boxHeaderSize),
      body: bytes.subarray(at + boxHeaderSize, at + size),
    });
    at += size;
  }
  return boxes;
}

/** Reads a header of a box in a file. `size` may be of any value; undefined if the box extends to the end of the file. */
export function readBoxHeader(header: Buffer): { type: string; size: number | undefined } {
  const [size, type] = [header.readUInt32BE(0), header.toString('latin1', 4, boxHeaderSize)];
  if (size === 1 && header.length === longHeaderSize) return { type, size: Number(header.readBigUInt64BE(8)) };
  return { type, size: size === 0 ? undefined : size };
}

/** Boxes at the top of a file, up to one whose size is not of 32 bits. */
export async function* walkBoxes(file: WindowedFile): AsyncGenerator<{ type: string; at: number; size: number }> {
  for (let at = 0; at < file.size;) {
    const header = await file.read(at, boxHeaderSize);
    const size = header.length < boxHeaderSize ? 0 : header.readUInt32BE(0);
    if (size < boxHeaderSize) return;
    yield { type: header.toString('latin1', 4), at, size };
    at += size;
  }
}

/** Reads the 32-bit number at `at` in a box's body. */
export function readUInt32(body: Buffer, at: number): number {
  if (at + 4 > body.length) throw new MalformedFile('an MP4 box that is too short');
  return body.readUInt32BE(at);
}

export const readUInt64 = (body: Buffer, at: number): number =>
  readUInt32(body, at) * 2 ** 32 + readUInt32(body, at + 4);

/** Ticks per second, of `mvhd` or `mdhd`. */
export const readTimescale = (header: Buffer): number => readUInt32(header, header[0] === 1 ? 20 : 12);

export function buildBox(type: string, body: Buffer): Buffer {
  const header = Buffer.alloc(boxHeaderSize);
  header.writeUInt32BE(boxHeaderSize + body.length, 0);
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, body]);
}

/** Returns the only box at the end of this path. */
export function findBox(bytes: Buffer, [type, ...deeper]: readonly string[]): Buffer {
  const [found, ...more] = readBoxes(bytes).filter((box) => box.type === type);
  if (found === undefined || more.length > 0) throw new MalformedFile(`no MP4 box ${type}, or more than one`);
  return deeper.length === 0 ? found.body : findBox(found.body, deeper);
}

/** Finds moov, which must precede the samples, as `+faststart` puts it. */
export async function findMovie(file: WindowedFile): Promise<{ at: number; size: number }> {
  for await (const { type, at, size } of walkBoxes(file)) {
    if (type === 'moov') return { at, size };
    if (type === 'mdat') break;
  }
  throw new MalformedFile('an MP4 whose index is not before its samples');
}

/**
 * Replaces some box types at any depth, by a new body or by a box of another type. Each of these types must occur exactly
 * once.
 */
export function replaceBoxes(bytes: Buffer, bodies: ReadonlyMap<string, (old: Buffer) => Buffer | Box>): Buffer {
  const replaced = new Set<string>();
  const rebuild = (part: Buffer): Buffer =>
    Buffer.concat(
      readBoxes(part).map(({ type, body }) => {
        if (containerBoxes.has(type)) return buildBox(type, rebuild(body));
        const build = bodies.get(type);
        if (build === undefined) return buildBox(type, body);
        if (replaced.has(type)) throw new MalformedFile(`more than one MP4 box ${type}`);
        replaced.add(type);
        const built = build(body);
        return Buffer.isBuffer(built) ? buildBox(type, built) : buildBox(built.type, built.body);
      }),
    );
  const rebuilt = rebuild(bytes);
  for (const type of bodies.keys()) if (!replaced.has(type)) throw new MalformedFile(`no MP4 box ${type}`);
  return rebuilt;
}
