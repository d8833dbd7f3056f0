import { boxHeaderSize, findBox, readBoxes, readTimescale, readUInt32, readUInt64 } from '../../formats/isobmff/box.ts';
import { MalformedFile } from '../../formats/malformed-file.ts';

/** One track of an init segment. */
export interface InitTrack {
  id: number;
  kind: 'video' | 'audio' | 'other';
  /** Type of the sample entry, such as `avc1`; of an encrypted entry, the original type. */
  codec: string;
  isEncrypted: boolean;
  /** Coded size first, then the sizes at which the pictures may be shown; pixels. */
  sizes: { width: number; height: number }[];
  /** ticks a second */
  timescale: number;
  /** Ticks at the start that are not shown. */
  startTicks: number;
  fragmentDefaults: { duration: number; flags: number };
}

/** Data of one track in one fragment of a segment (ISO/IEC 14496-12, 8.8). */
export interface Fragment {
  trackId: number;
  /** Offset of the moof box in the bytes that were read. */
  offset: number;
  /** Ticks at which its first sample is decoded. */
  decodeTicks: number;
  /** Ticks at which its first sample is shown, before the edit list applies. */
  shownTicks: number;
  durationTicks: number;
  /** Duration of the shortest sample. */
  shortestTicks: number;
  samples: number;
  /** The first sample is a sync sample. */
  startsWithSync: boolean;
}

const boxesOf = (body: Buffer, wanted: string): Buffer[] =>
  readBoxes(body).flatMap((box) => (box.type === wanted ? [box.body] : []));

export function readInit(bytes: Buffer): InitTrack[] {
  const moov = findBox(bytes, ['moov']);
  const movieTimescale = readTimescale(findBox(moov, ['mvhd']));
  const defaults = new Map(
    boxesOf(findBox(moov, ['mvex']), 'trex').map((trex) => [
      readUInt32(trex, 4),
      { duration: readUInt32(trex, 12), flags: readUInt32(trex, 20) },
    ]),
  );
  return boxesOf(moov, 'trak').map((trak) => {
    const tkhd = findBox(trak, ['tkhd']);
    const id = readUInt32(tkhd, tkhd[0] === 1 ? 20 : 12);
    const timescale = readTimescale(findBox(trak, ['mdia', 'mdhd']));
    if (timescale === 0 || movieTimescale === 0) throw new MalformedFile('a track whose clock has no ticks');
    const [edts] = boxesOf(trak, 'edts');
    return {
      ...{ id, timescale, ...readSampleEntry(trak), sizes: [...codedSizes(trak), shownSize(tkhd)] },
      startTicks: edts === undefined ? 0 : startOf(findBox(edts, ['elst']), timescale / movieTimescale),
      fragmentDefaults: defaults.get(id) ?? { duration: 0, flags: 0 },
    };
  });
}

const kinds: Partial<Record<string, InitTrack['kind']>> = { vide: 'video', soun: 'audio' };

/** Bytes of a sample entry before its boxes. */
const entryHeaderBytes: Partial<Record<string, number>> = { encv: 78, enca: 28 };

function readSampleEntry(trak: Buffer): Pick<InitTrack, 'kind' | 'codec' | 'isEncrypted'> {
  const handler = findBox(trak, ['mdia', 'hdlr']).toString('latin1', 8, 12);
  const [entry] = readBoxes(findBox(trak, ['mdia', 'minf', 'stbl', 'stsd']).subarray(8));
  if (entry === undefined) throw new MalformedFile('no MP4 sample entry');
  const headerBytes = entryHeaderBytes[entry.type];
  const kind = kinds[handler] ?? 'other';
  if (headerBytes === undefined) return { kind, codec: entry.type, isEncrypted: false };
  const codec = findBox(entry.body.subarray(headerBytes), ['sinf', 'frma']).toString('latin1', 0, 4);
  return { kind, codec, isEncrypted: true };
}

/** Coded size (ISO/IEC 14496-12, 12.1.3), and the display size for non-square pixels (12.1.4). */
function codedSizes(trak: Buffer): InitTrack['sizes'] {
  const [entry] = readBoxes(findBox(trak, ['mdia', 'minf', 'stbl', 'stsd']).subarray(8));
  if (entry === undefined || entry.body.length < 28) return [];
  const [width, height] = [entry.body.readUInt16BE(24), entry.body.readUInt16BE(26)];
  const pasp = entry.body.indexOf('pasp', 28, 'latin1');
  const [across, down] = pasp === -1 ? [1, 1] : [readUInt32(entry.body, pasp + 4), readUInt32(entry.body, pasp + 8)];
  return [
    { width, height },
    { width: (width * across) / down, height },
  ];
}

/** Size of the track header, rounded to whole pixels. */
function shownSize(tkhd: Buffer): InitTrack['sizes'][number] {
  const at = tkhd[0] === 1 ? 88 : 76;
  return { width: Math.round(readUInt32(tkhd, at) / 0x10000), height: Math.round(readUInt32(tkhd, at + 4) / 0x10000) };
}

/** Ticks of the first sample that is shown; negative for an empty edit. */
function startOf(elst: Buffer, ticksOfMovieTick: number): number {
  const isLong = elst[0] === 1;
  const count = readUInt32(elst, 4);
  let delay = 0;
  for (let index = 0; index < count; index += 1) {
    const at = 8 + index * (isLong ? 20 : 12);
    // All bits are set in an empty edit.
    const isEmpty = readUInt32(elst, at + (isLong ? 8 : 4)) === 0xffffffff;
    if (!isEmpty) return (isLong ? readUInt64(elst, at + 8) : readUInt32(elst, at + 4)) - delay;
    delay += (isLong ? readUInt64(elst, at) : readUInt32(elst, at)) * ticksOfMovieTick;
  }
  return -delay;
}

/** Flag of a sample that is no sync sample (ISO/IEC 14496-12, 8.8.3.1). */
const isNonSync = 0x10000;

export function readFragments(bytes: Buffer, tracks: readonly InitTrack[]): Fragment[] {
  let offset = 0;
  return readBoxes(bytes).flatMap(({ type, body }) => {
    const at = offset;
    offset += boxHeaderSize + body.length;
    return type === 'moof' ? boxesOf(body, 'traf').map((traf) => ({ offset: at, ...readFragment(traf, tracks) })) : [];
  });
}

function readFragment(traf: Buffer, tracks: readonly InitTrack[]): Omit<Fragment, 'offset'> {
  const tfhd = findBox(traf, ['tfhd']);
  const trackId = readUInt32(tfhd, 4);
  const track = tracks.find(({ id }) => id === trackId);
  if (track === undefined) throw new MalformedFile('a fragment of a track that its init segment does not have');
  const { duration, flags } = readHeader(tfhd, track.fragmentDefaults);
  const tfdt = findBox(traf, ['tfdt']);
  const decodeTicks = tfdt[0] === 1 ? readUInt64(tfdt, 4) : readUInt32(tfdt, 4);
  const [first, ...others] = boxesOf(traf, 'trun').map((trun) => readRun(trun, duration, flags));
  if (first === undefined) throw new MalformedFile('a fragment without samples');
  const sumOf = (name: 'samples' | 'durationTicks'): number =>
    others.reduce((sum, run) => sum + run[name], first[name]);
  return {
    ...{ trackId, decodeTicks, shownTicks: decodeTicks + first.firstOffset, startsWithSync: first.startsWithSync },
    ...{ samples: sumOf('samples'), durationTicks: sumOf('durationTicks') },
    shortestTicks: others.reduce((least, run) => Math.min(least, run.shortestTicks), first.shortestTicks),
  };
}

function readHeader(tfhd: Buffer, defaults: InitTrack['fragmentDefaults']): InitTrack['fragmentDefaults'] {
  const present = readUInt32(tfhd, 0);
  let at = 8;
  const next = (flag: number, size: number): number | undefined => {
    if ((present & flag) === 0) return undefined;
    at += size;
    return readUInt32(tfhd, at - 4);
  };
  next(0x1, 8);
  next(0x2, 4);
  const duration = next(0x8, 4) ?? defaults.duration;
  next(0x10, 4);
  return { duration, flags: next(0x20, 4) ?? defaults.flags };
}

interface SampleRun extends Pick<Fragment, 'samples' | 'durationTicks' | 'shortestTicks' | 'startsWithSync'> {
  /** Ticks between the times at which its first sample is decoded and shown. */
  firstOffset: number;
}

function readRun(trun: Buffer, defaultDuration: number, defaultFlags: number): SampleRun {
  const present = readUInt32(trun, 0);
  const samples = readUInt32(trun, 4);
  let at = 8 + ((present & 0x1) === 0 ? 0 : 4);
  const firstFlags = (present & 0x4) === 0 ? undefined : readUInt32(trun, at);
  if (firstFlags !== undefined) at += 4;
  const hasDurations = (present & 0x100) !== 0;
  let durationTicks = hasDurations ? 0 : samples * defaultDuration;
  let shortestTicks = hasDurations ? Infinity : defaultDuration;
  let [firstOffset, flags] = [0, firstFlags ?? defaultFlags];
  const describedSamples = (present & 0xf00) === 0 ? 0 : samples;
  for (let sample = 0; sample < describedSamples; sample += 1) {
    if (hasDurations) {
      const ticks = readUInt32(trun, at);
      durationTicks += ticks;
      shortestTicks = Math.min(shortestTicks, ticks);
      at += 4;
    }
    if ((present & 0x200) !== 0) at += 4;
    if ((present & 0x400) !== 0) {
      if (sample === 0 && firstFlags === undefined) flags = readUInt32(trun, at);
      at += 4;
    }
    if ((present & 0x800) !== 0) {
      if (sample === 0) firstOffset = trun[0] === 0 ? readUInt32(trun, at) : trun.readInt32BE(at);
      at += 4;
    }
    // A hostile count would keep the loop busy for minutes.
    if (at > trun.length) throw new MalformedFile('an MP4 box that is too short');
  }
  return { samples, durationTicks, shortestTicks, firstOffset, startsWithSync: (flags & isNonSync) === 0 };
}
