import { WindowedFile } from '../windowed-file.ts';
import { boxHeaderSize, buildBox, readBoxes, readUInt32 } from './box.ts';

/** The places of fragments in the file, of one track (`tfra`: ISO/IEC 14496-12, 8.8.10). */
function movePlaces(body: Buffer, shift: number): Buffer {
  const moved = Buffer.from(body);
  const is64Bit = body[0] === 1;
  // Lengths, less one, of the three numbers behind time and place.
  const lengths = readUInt32(body, 8);
  const numberBytes = ((lengths >> 4) & 3) + ((lengths >> 2) & 3) + (lengths & 3) + 3;
  const entryBytes = (is64Bit ? 16 : 8) + numberBytes;
  const count = readUInt32(body, 12);
  for (let index = 0; index < count; index += 1) {
    const at = 16 + index * entryBytes + (is64Bit ? 8 : 4);
    if (is64Bit) moved.writeBigUInt64BE(body.readBigUInt64BE(at) + BigInt(shift), at);
    else moved.writeUInt32BE(readUInt32(body, at) + shift, at);
  }
  return moved;
}

/** The index at the end of a file in fragments (`mfra`), where all of these lie `shift` bytes later (pure). */
export function moveFragmentIndex(mfra: Buffer, shift: number): Buffer {
  const moved = readBoxes(mfra).map(({ type, body }) =>
    buildBox(type, type === 'tfra' ? movePlaces(body, shift) : body),
  );
  return buildBox('mfra', Buffer.concat(moved));
}

/** Bytes of the index at the end of a file, by its own last field (`mfro`). */
export async function readFragmentIndexSize(file: WindowedFile): Promise<number> {
  return readUInt32(await file.read(file.size - 4, 4), 0);
}

/** The boxes of a file, one behind the other, by their types: `moov`, `sidx`, `moof`, `mdat` … */
export async function listBoxTypes(path: string): Promise<string[]> {
  return await WindowedFile.use(path, async (file) => {
    const types: string[] = [];
    for (let at = 0; at < file.size;) {
      const header = await file.read(at, boxHeaderSize);
      const size = header.length < boxHeaderSize ? 0 : header.readUInt32BE(0);
      if (size < boxHeaderSize) break;
      types.push(header.toString('latin1', 4));
      at += size;
    }
    return types;
  });
}

/** What a file that is to be in fragments lacks, as the rest of a sentence; undefined where it can be read from its beginning on, and its length is known there (pure). */
export function findFragmentProblem(types: readonly string[]): string | undefined {
  const [moov, index, first] = ['moov', 'sidx', 'moof'].map((type) => types.indexOf(type));
  if (first === undefined || first === -1 || types.at(-1) !== 'mfra') return 'it is not in fragments to its end';
  const isInOrder = moov !== undefined && index !== undefined && moov !== -1 && moov < index && index < first;
  return isInOrder ? undefined : 'its fragments have no index before them';
}
