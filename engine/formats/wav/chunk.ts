/** Builds a RIFF chunk. A chunk of odd size gets a padding byte that its size does not count. */
export function buildChunk(id: string, body: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header.write(id, 0, 'latin1');
  header.writeUInt32LE(body.length, 4);
  return Buffer.concat([header, body, ...(body.length % 2 === 0 ? [] : [Buffer.of(0)])]);
}

export function buildList(kind: 'INFO' | 'adtl', chunks: readonly Buffer[]): Buffer {
  return buildChunk('LIST', Buffer.concat([Buffer.from(kind, 'latin1'), ...chunks]));
}

/** Texts in RIFF end with a NUL. */
export function nullTerminated(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.of(0)]);
}
