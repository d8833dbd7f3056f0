import { findBox, readBoxes, readUInt32 } from '../formats/isobmff/box.ts';

/** What the init segment of a rendition says of its times. */
export interface InitFacts {
  /** ticks a second */
  timescale: number;
  /** Ticks that are not shown, at its beginning. */
  startTicks: number;
  fragmentDefaults: { duration: number; flags: number };
}

/** One fragment of a segment (ISO/IEC 14496-12, 8.8). */
export interface Fragment {
  /** Ticks at which its first sample is decoded. */
  decodeTicks: number;
  /** Ticks at which its first sample is shown, before the beginning is cut. */
  shownTicks: number;
  durationTicks: number;
  samples: number;
  /** Its first sample needs no other. */
  startsWithSync: boolean;
}

const readUInt64 = (body: Buffer, at: number): number => Number(body.readBigUInt64BE(at));

/** Figures of mdhd, elst and trex. */
export function readInit(bytes: Buffer): InitFacts {
  const moov = findBox(bytes, ['moov']);
  const mdhd = findBox(moov, ['trak', 'mdia', 'mdhd']);
  const timescale = readUInt32(mdhd, mdhd[0] === 1 ? 20 : 12);
  const trex = findBox(moov, ['mvex', 'trex']);
  const edits = readBoxes(findBox(moov, ['trak'])).find(({ type }) => type === 'edts');
  const elst = edits && findBox(edits.body, ['elst']);
  return {
    timescale,
    startTicks: elst === undefined ? 0 : mediaTime(elst),
    fragmentDefaults: { duration: readUInt32(trex, 12), flags: readUInt32(trex, 20) },
  };
}

/** Of the first edit. */
function mediaTime(elst: Buffer): number {
  return elst[0] === 1 ? readUInt64(elst, 16) : elst.readInt32BE(12);
}

/** A sample that is no sync sample (ISO/IEC 14496-12, 8.8.3.1). */
const isNonSync = 0x10000;

export function readFragments(bytes: Buffer, { fragmentDefaults }: InitFacts): Fragment[] {
  return readBoxes(bytes)
    .filter(({ type }) => type === 'moof')
    .map(({ body }) => readFragment(findBox(body, ['traf']), fragmentDefaults));
}

function readFragment(traf: Buffer, defaults: InitFacts['fragmentDefaults']): Fragment {
  const { duration, flags } = readHeader(findBox(traf, ['tfhd']), defaults);
  const tfdt = findBox(traf, ['tfdt']);
  const decodeTicks = tfdt[0] === 1 ? readUInt64(tfdt, 4) : readUInt32(tfdt, 4);
  const run = readRun(findBox(traf, ['trun']), duration, flags);
  return { ...run, decodeTicks, shownTicks: decodeTicks + run.firstOffset };
}

function readHeader(tfhd: Buffer, defaults: InitFacts['fragmentDefaults']): InitFacts['fragmentDefaults'] {
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

function readRun(
  trun: Buffer,
  defaultDuration: number,
  defaultFlags: number,
): Pick<Fragment, 'samples' | 'durationTicks' | 'startsWithSync'> & { firstOffset: number } {
  const present = readUInt32(trun, 0);
  const samples = readUInt32(trun, 4);
  let at = 8 + ((present & 0x1) === 0 ? 0 : 4);
  const firstFlags = (present & 0x4) === 0 ? undefined : readUInt32(trun, at);
  if (firstFlags !== undefined) at += 4;
  let [durationTicks, firstOffset, flags] = [0, 0, firstFlags ?? defaultFlags];
  for (let sample = 0; sample < samples; sample += 1) {
    if ((present & 0x100) === 0) durationTicks += defaultDuration;
    else {
      durationTicks += readUInt32(trun, at);
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
  }
  return { samples, durationTicks, firstOffset, startsWithSync: (flags & isNonSync) === 0 };
}
