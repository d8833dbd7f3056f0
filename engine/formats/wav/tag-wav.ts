import { MalformedFile } from '../malformed-file.ts';
import { buildId3v2Tag } from '../mp3/id3v2-tag.ts';
import { spliceFile } from '../splice.ts';
import type { FileTags } from '../tags/file-tags.ts';
import { WindowedFile } from '../windowed-file.ts';
import { buildBext, buildIxml, type WavSamples } from './broadcast.ts';
import { buildChunk } from './chunk.ts';
import { buildCuePoints, buildInfoList } from './info-list.ts';

const chunkHeaderBytes = 8;
/** `RIFF`, the size of everything after it, and `WAVE`. */
const riffHeaderBytes = 12;
const max32 = 2 ** 32 - 1;

/** Chunks that ffmpeg writes before the samples of a WAV. */
interface WavHead {
  /** The `ds64` chunk of RF64, or the space reserved for it. */
  large: Buffer;
  /** `fmt ` and other chunks that describe the samples. */
  format: Buffer[];
  samples: WavSamples;
  /** Offset in bytes of the data chunk's body. */
  dataAt: number;
  dataSize: number;
}

/**
 * Turns a WAV into a Broadcast Wave without changing its samples. An ID3v2 tag holds what RIFF's own lists cannot
 * (picture, custom keys). That tag has no chapters, because ffmpeg would read them and the cue points as twice as many.
 */
export async function tagWav(path: string, tags: FileTags, onCopied: () => void): Promise<void> {
  await WindowedFile.use(path, async (file) => {
    const { large, format, samples, dataAt, dataSize } = await readHead(file);
    const broadcast = [buildBext(tags.metadata, samples), buildIxml(tags.metadata)];
    const behind = [
      ...(dataSize % 2 === 0 ? [] : [Buffer.of(0)]),
      ...buildCuePoints(tags.chapters, samples.sampleRate),
      ...buildInfoList(tags.metadata),
      buildChunk('id3 ', buildId3v2Tag({ ...tags, chapters: [] })),
    ];
    const sizeOf = (parts: readonly Buffer[]): number => parts.reduce((sum, { length }) => sum + length, 0);
    const before = [...broadcast, ...format];
    const riffSize = 4 + large.length + sizeOf(before) + chunkHeaderBytes + dataSize + sizeOf(behind);
    const head = buildHead(large, riffSize, dataSize, Math.floor(dataSize / blockBytes(samples)));
    const data = { from: dataAt, to: dataAt + dataSize };
    await spliceFile(path, file, [...head.riff, ...before, head.data, data, ...behind], onCopied);
  });
}

function blockBytes({ channels, bits }: WavSamples): number {
  return Math.max(1, channels * Math.ceil(bits / 8));
}

/** Uses RF64 (EBU Tech 3306), with sizes in `ds64`, if 32 bits are too few. */
function buildHead(
  large: Buffer,
  riffSize: number,
  dataSize: number,
  sampleCount: number,
): { riff: Buffer[]; data: Buffer } {
  const isLarge = riffSize > max32;
  if (isLarge && large.length === 0) throw new MalformedFile('a WAV of more than 4 GiB without room for its size');
  const riff = Buffer.alloc(riffHeaderBytes);
  riff.write(isLarge ? 'RF64' : 'RIFF', 0, 'latin1');
  riff.writeUInt32LE(isLarge ? max32 : riffSize, 4);
  riff.write('WAVE', 8, 'latin1');
  const data = Buffer.alloc(chunkHeaderBytes);
  data.write('data', 0, 'latin1');
  data.writeUInt32LE(isLarge ? max32 : dataSize, 4);
  if (!isLarge) return { riff: [riff, large], data };
  const sizes = Buffer.from(large);
  sizes.write('ds64', 0, 'latin1');
  for (const [index, value] of [riffSize, dataSize, sampleCount].entries()) {
    sizes.writeBigUInt64LE(BigInt(value), chunkHeaderBytes + index * 8);
  }
  return { riff: [riff, sizes], data };
}

async function readHead(file: WindowedFile): Promise<WavHead> {
  const magic = (await file.read(0, riffHeaderBytes)).toString('latin1', 0, 4);
  if (magic !== 'RIFF' && magic !== 'RF64') throw new MalformedFile('no WAV file');
  let large: Buffer = Buffer.alloc(0);
  let samples: WavSamples | undefined;
  const format: Buffer[] = [];
  for (let at = riffHeaderBytes; ;) {
    const header = await file.read(at, chunkHeaderBytes);
    if (header.length < chunkHeaderBytes) throw new MalformedFile('a WAV without samples');
    const id = header.toString('latin1', 0, 4);
    const size = header.readUInt32LE(4);
    if (id === 'data') {
      if (samples === undefined) throw new MalformedFile('a WAV that does not say what its samples are');
      const dataAt = at + chunkHeaderBytes;
      const dataSize = magic === 'RF64' ? Number(large.readBigUInt64LE(chunkHeaderBytes + 8)) : size;
      return { large, format, samples, dataAt, dataSize };
    }
    const end = at + chunkHeaderBytes + size + (size % 2);
    const chunk = Buffer.from(await file.read(at, end - at));
    if (id === 'ds64' || id === 'JUNK') large = chunk;
    if (id === 'fmt ') samples = readSamples(chunk);
    if (id === 'fmt ' || id === 'fact') format.push(chunk);
    at = end;
  }
}

function readSamples(fmt: Buffer): WavSamples {
  const body = fmt.subarray(chunkHeaderBytes);
  return { channels: body.readUInt16LE(2), sampleRate: body.readUInt32LE(4), bits: body.readUInt16LE(14) };
}
