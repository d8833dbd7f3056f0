export interface WavFormat {
  /** 1 for PCM, 3 for IEEE float, and so on (RFC 2361). */
  tag: number;
  channels: number;
  /** Hz */
  sampleRate: number;
  bitsPerSample: number;
  /** Computed from the other fields by default. */
  blockAlign?: number;
  bytesPerSecond?: number;
  /** Bytes after the sixteen of PCM, including their size. */
  extra?: Buffer;
}

export function chunk(id: string, data: Buffer): Buffer<ArrayBuffer> {
  const head = Buffer.alloc(8);
  head.write(id, 0, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

function formatChunk(format: WavFormat): Buffer {
  const { tag, channels, sampleRate, bitsPerSample, extra = Buffer.alloc(0) } = format;
  const blockAlign = format.blockAlign ?? (channels * bitsPerSample) >> 3;
  const fields = Buffer.alloc(16);
  fields.writeUInt16LE(tag, 0);
  fields.writeUInt16LE(channels, 2);
  fields.writeUInt32LE(sampleRate, 4);
  fields.writeUInt32LE(format.bytesPerSecond ?? sampleRate * blockAlign, 8);
  fields.writeUInt16LE(blockAlign, 12);
  fields.writeUInt16LE(bitsPerSample, 14);
  return chunk('fmt ', Buffer.concat([fields, extra]));
}

export function wavFile(format: WavFormat, data: Buffer, ...before: readonly Buffer[]): Buffer<ArrayBuffer> {
  const body = Buffer.concat([Buffer.from('WAVE', 'latin1'), formatChunk(format), ...before, chunk('data', data)]);
  return chunk('RIFF', body);
}
