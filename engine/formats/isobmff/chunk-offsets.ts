import { figures } from '../figures.ts';
import { MalformedFile } from '../malformed-file.ts';
import { readUInt32, type Box } from './box.ts';

/** Tables of 32 and of 64 bits per entry. */
export type OffsetType = 'stco' | 'co64';

const base32 = 2 ** 32;

export const largestOffset32 = base32 - 1;

/** A table of chunk offsets (ISO/IEC 14496-12, 8.7.5). */
export function buildChunkOffsets(offsets: readonly number[], type: OffsetType): Box {
  const values = type === 'stco' ? offsets : offsets.flatMap((at) => [Math.floor(at / base32), at % base32]);
  return { type, body: figures([0, offsets.length, ...values]) };
}

export function readChunkOffsets(body: Buffer, type: OffsetType): number[] {
  const count = readUInt32(body, 4);
  const size = type === 'co64' ? 8 : 4;
  if (body.length !== 8 + count * size) throw new MalformedFile('a table of chunks of an odd size');
  return Array.from({ length: count }, (_, index) => {
    const at = 8 + index * size;
    return type === 'co64' ? Number(body.readBigUInt64BE(at)) : body.readUInt32BE(at);
  });
}
