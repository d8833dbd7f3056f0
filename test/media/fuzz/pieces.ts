/** Offsets at which pieces start; the first is 0. */
type Starts = number[];

/** Finds consecutive pieces by the lengths that the file declares. */
function starts(bytes: Buffer, from: number, lengthAt: (at: number) => number | undefined): Starts {
  const found = [0];
  for (let at = from; at + 8 <= bytes.length && found.length < 10_000;) {
    if (at > 0) found.push(at);
    const length = lengthAt(at);
    if (length === undefined || length < 8) break;
    at += length;
  }
  return found;
}

const boxes = (bytes: Buffer): Starts => starts(bytes, 0, (at) => bytes.readUInt32BE(at));

const riffChunks = (bytes: Buffer): Starts =>
  starts(bytes, 12, (at) => 8 + bytes.readUInt32LE(at + 4) + (bytes.readUInt32LE(at + 4) % 2));

function marks(bytes: Buffer, mark: string | Buffer): Starts {
  const found = [0];
  for (let at = bytes.indexOf(mark, 1); at > 0; at = bytes.indexOf(mark, at + 1)) found.push(at);
  return found;
}

function blocks(bytes: Buffer): Starts {
  const size = 188;
  return Array.from({ length: Math.max(1, Math.floor(bytes.length / size)) }, (_, index) => index * size);
}

function startsOf(bytes: Buffer): Starts {
  const head = bytes.toString('latin1', 0, 12);
  if (head.startsWith('OggS')) return marks(bytes, 'OggS');
  if (head.startsWith('RIFF')) return riffChunks(bytes);
  if (head.startsWith('ftyp', 4)) return boxes(bytes);
  // Matroska is split at its clusters.
  if (head.startsWith('\u001aE\u00df\u00a3')) return marks(bytes, Buffer.from([0x1f, 0x43, 0xb6, 0x75]));
  return blocks(bytes);
}

/** Splits a file into boxes, pages, chunks, clusters or blocks, depending on its format. */
export function piecesOf(bytes: Buffer): Buffer[] {
  const found = startsOf(bytes);
  return found.map((start, index) => bytes.subarray(start, found[index + 1] ?? bytes.length));
}
