import { SourceFrames } from '../../formats/mp3/source-frames.ts';

/** A segment's process opens the source itself and seeks: positions in the file are positions in samples. */
export interface SeekEntry {
  kind: 'seek';
}

/** A segment's process is given a part of the source that begins with a frame whose first sample is known. */
export interface FrameEntry {
  kind: 'frames';
  frames: SourceFrames;
}

/** The source is decoded once into a file of raw samples, and a segment's process is given its part of that. */
export interface PcmEntry {
  kind: 'pcm';
  rawFormat: RawFormat;
  bytesPerSecond: number;
}

/** How a segment's process gets at the sample that it begins with; none where no way is known to be exact. */
export type Entry = SeekEntry | FrameEntry | PcmEntry | { kind: 'none'; reason: string };

/** ffmpeg's raw demuxers and their `pcm_` decoders, by what a decoder puts out: no sample changes on the way. */
const rawFormats = {
  u8: { name: 'u8', bytes: 1 },
  s16: { name: 's16le', bytes: 2 },
  s32: { name: 's32le', bytes: 4 },
  flt: { name: 'f32le', bytes: 4 },
  dbl: { name: 'f64le', bytes: 8 },
} as const;

export type RawFormat = (typeof rawFormats)[keyof typeof rawFormats]['name'];

export interface EntrySource {
  /** ffprobe's name of the container format */
  formatName: string;
  codec: string;
  /** ffmpeg's name of the decoder's output, such as `fltp` */
  sampleFormat: string | undefined;
  channels: number;
  /** Hz */
  sampleRate: number;
}

/** True for samples of one size one after the other, and for FLAC, whose frames carry their sample number (RFC 9639, 9.1.5). */
function isExactToSeek({ formatName, codec }: EntrySource): boolean {
  if (formatName === 'wav' || formatName === 'w64') return /^pcm_[suf]\d+le$/.test(codec) || codec === 'pcm_u8';
  return formatName === 'flac' && codec === 'flac';
}

/** Reads the source where its format alone does not decide. */
export async function findEntry(source: EntrySource & { path: string }): Promise<Entry> {
  const isMp3 = source.formatName === 'mp3' && source.codec === 'mp3';
  const frames = isMp3 ? await SourceFrames.read(source.path) : undefined;
  return frames === undefined ? chooseEntry(source) : { kind: 'frames', frames };
}

/** What the format of a source decides without reading it (pure). */
export function chooseEntry(source: EntrySource): Entry {
  if (isExactToSeek(source)) return { kind: 'seek' };
  // A raw file does not say which speaker a channel is for, which matters for more than two.
  if (source.channels > 2) return { kind: 'none', reason: 'more than two channels in a format without exact seeking' };
  const raw = Object.entries(rawFormats).find(([name]) => source.sampleFormat?.replace(/p$/, '') === name)?.[1];
  if (raw === undefined) return { kind: 'none', reason: 'samples of an unusual format' };
  return { kind: 'pcm', rawFormat: raw.name, bytesPerSecond: raw.bytes * source.channels * source.sampleRate };
}
