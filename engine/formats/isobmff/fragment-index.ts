import { WindowedFile } from '../windowed-file.ts';
import { buildBox, readBoxes, readUInt32, walkBoxes } from './box.ts';

/** Moves the fragment offsets of one track (`tfra`: ISO/IEC 14496-12, 8.8.10). */
function movePlaces(body: Buffer, shift: number): Buffer {
  const moved = Buffer.from(body);
  const is64Bit = body[0] === 1;
  // Lengths, minus one, of the three numbers that follow time and offset.
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

/** Returns the index at the end of a fragmented file (`mfra`) after all fragments have moved by `shift` bytes. */
export function moveFragmentIndex(mfra: Buffer, shift: number): Buffer {
  const moved = readBoxes(mfra).map(({ type, body }) =>
    buildBox(type, type === 'tfra' ? movePlaces(body, shift) : body),
  );
  return buildBox('mfra', Buffer.concat(moved));
}

/** Size in bytes of the index at the end of a file, read from its last field (`mfro`). */
export async function readFragmentIndexSize(file: WindowedFile): Promise<number> {
  return readUInt32(await file.read(file.size - 4, 4), 0);
}

/** Types of the file's top-level boxes, in order: `moov`, `sidx`, `moof`, `mdat` … */
export async function listBoxTypes(path: string): Promise<string[]> {
  return await WindowedFile.use(path, async (file) => {
    const types: string[] = [];
    for await (const { type } of walkBoxes(file)) types.push(type);
    return types;
  });
}

/**
 * Describes what a fragmented file lacks, as the rest of a sentence. Undefined if the file can be read from its start
 * and declares its length there.
 */
export function findFragmentProblem(types: readonly string[]): string | undefined {
  const [moov, index, first] = ['moov', 'sidx', 'moof'].map((type) => types.indexOf(type));
  if (first === undefined || first === -1 || types.at(-1) !== 'mfra') return 'it is not in fragments to its end';
  const isInOrder = moov !== undefined && index !== undefined && moov !== -1 && moov < index && index < first;
  return isInOrder ? undefined : 'its fragments have no index before them';
}
