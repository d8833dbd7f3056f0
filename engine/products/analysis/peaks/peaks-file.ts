import { open, readFile } from 'node:fs/promises';

/** audiowaveform's formats, version 2 (its doc/DataFormat.md). */
const version = 2;

export interface PeaksHeader {
  dataFormat: 'json' | 'dat';
  bits: 8 | 16;
  channels: number;
  /** Hz */
  sampleRate: number;
  /** samples per pair */
  zoom: number;
  /** pairs per channel */
  length: number;
}

const datHeaderBytes = 24;

/** Numbers formatted at a time. */
const valuesAtOnce = 65_536;

/** Converts 16-bit peaks to the file's bits; audiowaveform truncates the fraction. */
function toFileBits(peaks: Int16Array<ArrayBuffer>, bits: 8 | 16): Int8Array<ArrayBuffer> | Int16Array<ArrayBuffer> {
  return bits === 16 ? peaks : Int8Array.from(peaks, (value) => Math.trunc(value / 256));
}

function jsonFields({ channels, sampleRate, zoom, bits, length }: PeaksHeader): Record<string, number> {
  return { version, channels, sample_rate: sampleRate, samples_per_pixel: zoom, bits, length };
}

function datHeader({ bits, channels, sampleRate, zoom, length }: PeaksHeader): Buffer {
  const header = Buffer.alloc(datHeaderBytes);
  header.writeInt32LE(version, 0);
  header.writeUInt32LE(bits === 8 ? 1 : 0, 4);
  header.writeInt32LE(sampleRate, 8);
  header.writeInt32LE(zoom, 12);
  header.writeUInt32LE(length, 16);
  header.writeInt32LE(channels, 20);
  return header;
}

export async function writePeaksFile(path: string, header: PeaksHeader, peaks: Int16Array<ArrayBuffer>): Promise<void> {
  const values = toFileBits(peaks, header.bits);
  const handle = await open(path, 'wx');
  try {
    if (header.dataFormat === 'dat') {
      await handle.writeFile(datHeader(header));
      await handle.writeFile(values);
      return;
    }
    await handle.writeFile(JSON.stringify(jsonFields(header)).replace(/\}$/, ',"data":['));
    for (let from = 0; from < values.length; from += valuesAtOnce) {
      const text = values.subarray(from, from + valuesAtOnce).join(',');
      await handle.writeFile(from === 0 ? text : `,${text}`);
    }
    await handle.writeFile(']}\n');
  } finally {
    await handle.close();
  }
}

/** Whether the file has as many peaks as its header states. */
export async function isPeaksFile(path: string, header: PeaksHeader): Promise<boolean> {
  const values = header.length * header.channels * 2;
  const bytes = await readFile(path);
  if (header.dataFormat === 'dat') {
    const isHeader = bytes.subarray(0, datHeaderBytes).equals(datHeader(header));
    return isHeader && bytes.length === datHeaderBytes + (values * header.bits) / 8;
  }
  const { data, ...fields } = JSON.parse(bytes.toString('utf8')) as Record<string, unknown>;
  const most = 2 ** (header.bits - 1);
  const isPeak = (value: unknown): boolean => typeof value === 'number' && value >= -most && value < most;
  const isHeader = JSON.stringify(fields) === JSON.stringify(jsonFields(header));
  return isHeader && Array.isArray(data) && data.length === values && data.every(isPeak);
}
