import { MalformedFile } from '../malformed-file.ts';

/** An animation in WebP (RFC 9649). */
export interface WebpAnimation {
  width: number;
  height: number;
  /** 0 repeats without end. */
  loops: number;
  frames: { durationMs: number; width: number; height: number; /** The chunks of its picture. */ picture: Buffer }[];
}

interface Chunk {
  type: string;
  body: Buffer;
}

const chunkHeader = 8;

function readChunks(bytes: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = 0; at < bytes.length;) {
    const size = at + chunkHeader <= bytes.length ? bytes.readUInt32LE(at + 4) : Infinity;
    if (at + chunkHeader + size > bytes.length) throw new MalformedFile('a WebP that is cut off');
    const from = at + chunkHeader;
    chunks.push({ type: bytes.toString('latin1', at, at + 4), body: bytes.subarray(from, from + size) });
    at = from + size + (size % 2);
  }
  return chunks;
}

/** Bytes before the picture of an `ANMF` chunk: position, size, duration and flags. */
const frameHeader = 16;

function readFrame(body: Buffer): WebpAnimation['frames'][number] {
  if (body.length <= frameHeader) throw new MalformedFile('a WebP with a frame that is empty');
  return {
    width: body.readUIntLE(6, 3) + 1,
    height: body.readUIntLE(9, 3) + 1,
    durationMs: body.readUIntLE(12, 3),
    picture: body.subarray(frameHeader),
  };
}

/** Returns undefined for a still picture. */
export function readWebpAnimation(bytes: Buffer): WebpAnimation | undefined {
  const isWebp = bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';
  if (!isWebp || bytes.readUInt32LE(4) + chunkHeader !== bytes.length) throw new MalformedFile('no whole WebP');
  const chunks = readChunks(bytes.subarray(12));
  const [canvas] = chunks;
  const control = chunks.find(({ type }) => type === 'ANIM');
  if (/^VP8[ L]$/.test(canvas?.type ?? '')) return undefined;
  if (canvas?.type !== 'VP8X' || canvas.body.length < 10 || control === undefined || control.body.length < 6) {
    throw new MalformedFile('a WebP that does not move');
  }
  return {
    width: canvas.body.readUIntLE(4, 3) + 1,
    height: canvas.body.readUIntLE(7, 3) + 1,
    loops: control.body.readUInt16LE(4),
    frames: chunks.filter(({ type }) => type === 'ANMF').map(({ body }) => readFrame(body)),
  };
}
