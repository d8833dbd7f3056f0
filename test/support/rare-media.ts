// Small files in formats that ffmpeg decodes but cannot encode.

/** Hz of DSD64. DSD256 has four times that. */
const dsd64Rate = 2_822_400;

/** A 1 kHz tone of one bit a sample, by a first-order sigma-delta modulator. */
function dsdBytes(seconds: number, firstBitIsLowest: boolean, dsdRate = dsd64Rate): Buffer {
  const bytes = Buffer.alloc(Math.floor((dsdRate * seconds) / 8));
  let error = 0;
  for (let sample = 0; sample < bytes.length * 8; sample += 1) {
    const value = 0.5 * Math.sin((2 * Math.PI * 1000 * sample) / dsdRate) + error;
    const bit = value >= 0 ? 1 : 0;
    error = value - (bit === 1 ? 1 : -1);
    const place = sample % 8;
    const index = (sample - place) / 8;
    bytes[index] = (bytes[index] ?? 0) | (bit << (firstBitIsLowest ? place : 7 - place));
  }
  return bytes;
}

const dsfBlockBytes = 4096;

/** Sony's DSF, mono (DSF File Format Specification 1.01). */
export function dsfFile(seconds: number): Buffer {
  const sound = dsdBytes(seconds, true);
  const data = Buffer.alloc(Math.ceil(sound.length / dsfBlockBytes) * dsfBlockBytes);
  sound.copy(data);
  const header = Buffer.alloc(28 + 52 + 12);
  header.write('DSD ', 0, 'latin1');
  header.writeBigUInt64LE(28n, 4);
  header.writeBigUInt64LE(BigInt(header.length + data.length), 12);
  header.write('fmt ', 28, 'latin1');
  header.writeBigUInt64LE(52n, 32);
  // version 1, raw, mono, 1 channel, rate, 1 bit with the lowest first
  for (const [index, value] of [1, 0, 1, 1, dsd64Rate, 1].entries()) header.writeUInt32LE(value, 40 + index * 4);
  header.writeBigUInt64LE(BigInt(sound.length * 8), 64);
  header.writeUInt32LE(dsfBlockBytes, 72);
  header.write('data', 80, 'latin1');
  header.writeBigUInt64LE(BigInt(12 + data.length), 84);
  return Buffer.concat([header, data]);
}

/** A chunk of DSDIFF: 4 bytes of type, 8 of size, big-endian. */
function dffChunk(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const header = Buffer.alloc(12);
  header.write(type, 0, 'latin1');
  header.writeBigUInt64BE(BigInt(body.length), 4);
  return Buffer.concat([header, body, Buffer.alloc(body.length % 2)]);
}

/** Philips' DSDIFF, mono (DSDIFF 1.5). */
export function dffFile(seconds: number, dsdRate = dsd64Rate): Buffer {
  const rate = Buffer.alloc(4);
  rate.writeUInt32BE(dsdRate);
  const properties = dffChunk(
    'PROP',
    Buffer.from('SND '),
    dffChunk('FS  ', rate),
    dffChunk('CHNL', Buffer.from([0, 1]), Buffer.from('C000')),
    dffChunk('CMPR', Buffer.from('DSD '), Buffer.from([14]), Buffer.from('not compressed')),
  );
  const version = dffChunk('FVER', Buffer.from([1, 5, 0, 0]));
  return dffChunk(
    'FRM8',
    Buffer.from('DSD '),
    version,
    properties,
    dffChunk('DSD ', dsdBytes(seconds, false, dsdRate)),
  );
}

/** AMR narrow band at 12.2 kbit/s (RFC 4867, 5): frames of 20 ms whose bits are the same noise every time. */
export function amrFile(seconds: number): Buffer {
  const frames = Array.from({ length: Math.round(seconds * 50) }, (_, frame) => {
    const bytes = Buffer.alloc(32);
    for (let index = 1; index < 32; index += 1) bytes[index] = (frame * 131 + index * 89 + index * index * 17) & 0xff;
    bytes[0] = 0x3c;
    return bytes;
  });
  return Buffer.concat([Buffer.from('#!AMR\n'), ...frames]);
}

/** NIST SPHERE with the 16-bit samples of a mono recording. */
export function sphereFile(samples: Buffer, sampleRate: number): Buffer {
  const fields = [
    'NIST_1A',
    '   1024',
    'channel_count -i 1',
    `sample_count -i ${samples.length / 2}`,
    `sample_rate -i ${sampleRate}`,
    'sample_n_bytes -i 2',
    'sample_byte_format -s2 01',
    'sample_coding -s3 pcm',
    'end_head',
  ];
  return Buffer.concat([Buffer.from(`${fields.join('\n')}\n`.padEnd(1024)), samples]);
}
