/** What a WAV's own header says of its length. */
export type RiffLength =
  | { kind: 'declared'; seconds: number }
  /** No WAV, or one whose writer did not know the length: sizes 0 and 0xFFFFFFFF (pipes), 0x7FFFF000 and up (SoX, arecord). */
  | { kind: 'undeclared' };

const undeclared: RiffLength = { kind: 'undeclared' };

function isPlaceholder(size: number): boolean {
  return size === 0 || size === 0xff_ff_ff_ff || (size >= 0x7f_ff_f0_00 && size <= 0x7f_ff_ff_ff);
}

/**
 * Reads RIFF/RF64 (EBU Tech 3306) chunk headers from the first bytes of a file. ffprobe cannot be asked: where the file
 * is shorter than its header says, it silently tells the length of what is there.
 */
export function riffLength(head: Buffer): RiffLength {
  const magic = head.toString('latin1', 0, 4);
  if ((magic !== 'RIFF' && magic !== 'RF64') || head.toString('latin1', 8, 12) !== 'WAVE') return undeclared;
  let bytesPerSecond = 0;
  let dataSize64: number | undefined;
  for (let at = 12; at + 8 <= head.length;) {
    const id = head.toString('latin1', at, at + 4);
    const size = head.readUInt32LE(at + 4);
    const body = at + 8;
    if (id === 'fmt ' && body + 12 <= head.length) bytesPerSecond = head.readUInt32LE(body + 8);
    if (id === 'ds64' && body + 16 <= head.length) dataSize64 = Number(head.readBigUInt64LE(body + 8));
    if (id === 'data') {
      const dataSize = magic === 'RF64' && size === 0xff_ff_ff_ff ? dataSize64 : isPlaceholder(size) ? undefined : size;
      if (dataSize === undefined || dataSize === 0 || bytesPerSecond === 0) return undeclared;
      return { kind: 'declared', seconds: dataSize / bytesPerSecond };
    }
    at = body + size + (size % 2);
  }
  return undeclared;
}
