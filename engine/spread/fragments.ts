import { MalformedFile } from '../formats/malformed-file.ts';
import { OutputFile } from '../formats/output-file.ts';
import { copyStretch } from '../formats/splice.ts';
import { WindowedFile } from '../formats/windowed-file.ts';
import type { PictureSource } from '../source/pictures/picture-source.ts';
import { boxHeaderSize, findBox, readBoxes, readTimescale, readUInt32, readUInt64 } from '../formats/isobmff/box.ts';

/** Fragmented MP4 with one track (ISO/IEC 14496-12, 8.8), as it is read from a file. */
interface FragmentedFile {
  /** `ftyp` and `moov` with their headers. */
  head: Buffer;
  /** Contents of `stsd`: the codec's headers. */
  sampleEntry: Buffer;
  /** Ticks per second. */
  timescale: number;
  fragments: Fragment[];
}

interface Fragment {
  moof: Buffer;
  /** Bytes of the file that hold its samples, `mdat` included. */
  data: { from: number; to: number };
  samples: number;
  /** Ticks. */
  decodeTime: number;
}

async function readFragments(file: WindowedFile): Promise<FragmentedFile> {
  const head: Buffer[] = [];
  const fragments: Fragment[] = [];
  let moov: Buffer | undefined;
  for (let at = 0; at < file.size;) {
    const header = await file.read(at, boxHeaderSize);
    const size = header.length < boxHeaderSize ? 0 : header.readUInt32BE(0);
    if (size < boxHeaderSize || at + size > file.size) throw new MalformedFile('an MP4 box of an odd size');
    const type = header.toString('latin1', 4, boxHeaderSize);
    if (type === 'ftyp' || type === 'moov') {
      const bytes = Buffer.from(await file.read(at, size));
      head.push(bytes);
      if (type === 'moov') moov = bytes.subarray(boxHeaderSize);
    }
    if (type === 'moof') fragments.push(readFragment(Buffer.from(await file.read(at, size))));
    if (type === 'mdat') {
      const last = fragments.at(-1);
      if (last === undefined || last.data.to > 0) throw new MalformedFile('samples without a fragment');
      last.data = { from: at, to: at + size };
    }
    at += size;
  }
  if (moov === undefined) throw new MalformedFile('a fragmented MP4 without moov');
  const media = findBox(moov, ['trak', 'mdia']);
  return {
    head: Buffer.concat(head),
    sampleEntry: findBox(media, ['minf', 'stbl', 'stsd']),
    timescale: readTimescale(findBox(media, ['mdhd'])),
    fragments,
  };
}

/** Bytes of a moof with its header. */
function readFragment(moof: Buffer): Fragment {
  const track = findBox(moof.subarray(boxHeaderSize), ['traf']);
  const runs = readBoxes(track).filter(({ type }) => type === 'trun');
  const samples = runs.reduce((sum, { body }) => sum + readUInt32(body, 4), 0);
  return { moof, data: { from: 0, to: 0 }, samples, decodeTime: readDecodeTime(findBox(track, ['tfdt'])) };
}

const readDecodeTime = (tfdt: Buffer): number => (tfdt[0] === 1 ? readUInt64(tfdt, 4) : readUInt32(tfdt, 4));

/** The fragment's moof as number `sequence` of a file, at another time. Its size stays the same. */
function placeFragment({ moof }: Fragment, sequence: number, decodeTime: number): Buffer {
  const placed = Buffer.from(moof);
  const content = placed.subarray(boxHeaderSize);
  findBox(content, ['mfhd']).writeUInt32BE(sequence, 4);
  const tfdt = findBox(content, ['traf', 'tfdt']);
  if (tfdt[0] === 1) tfdt.writeBigUInt64BE(BigInt(decodeTime), 4);
  else tfdt.writeUInt32BE(decodeTime, 4);
  return placed;
}

/** Samples per second. */
interface Rate {
  num: number;
  den: number;
}

const ticksPerSample = (timescale: number, { num, den }: Rate): number => (timescale * den) / num;

/** Samples of a file to keep: `count` from number `from`. The first of them is number `place` of the film. */
export interface KeptSamples {
  from: number;
  count: number;
  place: number;
  rate: Rate;
}

/**
 * Writes some consecutive samples of a fragmented file. Throws `MalformedFile` unless a fragment starts at the first
 * and another ends with the last.
 */
export async function keepSamples(
  path: string,
  output: string,
  { from, count, place, rate }: KeptSamples,
): Promise<void> {
  await WindowedFile.use(path, async (file) => {
    const { head, fragments, timescale } = await readFragments(file);
    const ticks = ticksPerSample(timescale, rate);
    await OutputFile.write(output, async (to) => {
      await to.append(head);
      let seen = 0;
      let kept = 0;
      for (const fragment of fragments) {
        const { samples } = fragment;
        const first = seen;
        seen += samples;
        if (first < from || first >= from + count) continue;
        await to.append(placeFragment(fragment, kept + 1, ticks * (place + first - from)));
        await copyStretch(file, fragment.data, to);
        kept += samples;
      }
      if (kept !== count) throw new MalformedFile(`${kept} pictures between the borders, and not ${count}`);
    });
  });
}

/**
 * Place of the chroma of VP9, by ffmpeg's name. The place is not in the stream, but in the codec's headers ("VP Codec ISO
 * Media File Format Binding", 2.2). They state only whether the place is left; any other place is that of the source.
 */
export function vp9ChromaPlace(sampleEntry: Buffer, source: Pick<PictureSource, 'chromaPlace'>): string | undefined {
  const at = sampleEntry.indexOf('vpcC');
  if (at === -1) return undefined;
  // Type, version and flags, profile and level; the place follows the bit depth of four bits.
  const [depthAndChroma = 0xff] = sampleEntry.subarray(at + 10, at + 11);
  if (((depthAndChroma >> 1) & 7) === 0) return 'left';
  return source.chromaPlace === 'left' ? undefined : source.chromaPlace;
}

export type JoinProblem = 'headers' | 'times';

/**
 * Writes the samples of several fragmented files in a row; each file states its place in the film. Returns the number of
 * samples and the codec's headers (`stsd`), or what does not fit: another codec header, or a gap.
 */
export async function joinFragments(
  paths: readonly string[],
  output: string,
  rate: Rate,
  onFile: (index: number) => void,
): Promise<{ samples: number; sampleEntry: Buffer } | { problem: JoinProblem; index: number }> {
  let samples = 0;
  let sequence = 0;
  let first: FragmentedFile | undefined;
  let problem: { problem: JoinProblem; index: number } | undefined;
  await OutputFile.write(output, async (to) => {
    for (const [index, path] of paths.entries()) {
      problem = await WindowedFile.use(path, async (file) => {
        const read = await readFragments(file);
        if (first === undefined) await to.append(read.head);
        first ??= read;
        if (!read.sampleEntry.equals(first.sampleEntry) || read.timescale !== first.timescale) {
          return { problem: 'headers', index };
        }
        for (const fragment of read.fragments) {
          if (fragment.decodeTime !== samples * ticksPerSample(read.timescale, rate))
            return { problem: 'times', index };
          sequence += 1;
          await to.append(placeFragment(fragment, sequence, fragment.decodeTime));
          await copyStretch(file, fragment.data, to);
          samples += fragment.samples;
        }
        return undefined;
      });
      if (problem !== undefined) return;
      onFile(index);
    }
  });
  return problem ?? { samples, sampleEntry: first?.sampleEntry ?? Buffer.alloc(0) };
}
