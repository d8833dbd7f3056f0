import { SourceFrames } from '../../formats/mp3/source-frames.ts';
import { isExactToSeek, type SeekableSource } from '../../formats/seeking.ts';
import { rawShapeOf, type RawShape, type RawSource } from '../../source/raw-samples.ts';

/** Each segment's process opens the source and seeks: positions in the file are sample positions. */
export interface SeekEntry {
  kind: 'seek';
  /** Samples that the source declares. Samples missing in its middle would also be missing in the output. */
  declaredSamples: number | undefined;
}

/** Each segment's process receives a part of the source that starts with a frame whose first sample is known. */
export interface FrameEntry {
  kind: 'frames';
  frames: SourceFrames;
}

/** The source is decoded once into a file of raw samples, and each segment's process receives its part of that file. */
export interface PcmEntry {
  kind: 'pcm';
  shape: RawShape;
}

/** How a segment's process reaches its first sample; `none` if no way is known to be exact. */
export type Entry = SeekEntry | FrameEntry | PcmEntry | { kind: 'none'; reason: string };

export type EntrySource = SeekableSource & RawSource;

/** Reads the source if its format alone does not decide. */
export async function findEntry(source: EntrySource & { path: string }): Promise<Entry> {
  const isMp3 = source.formatName === 'mp3' && source.codec === 'mp3';
  const frames = isMp3 ? await SourceFrames.read(source.path) : undefined;
  return frames === undefined ? chooseEntry(source) : { kind: 'frames', frames };
}

/** Entry that follows from a source's format without reading the source. */
export function chooseEntry(source: EntrySource): Entry {
  const { declaredSeconds, sampleRate } = source;
  if (isExactToSeek(source)) {
    const declaredSamples = declaredSeconds === undefined ? undefined : Math.round(declaredSeconds * sampleRate);
    return { kind: 'seek', declaredSamples };
  }
  // A raw file does not assign channels to speakers, which matters for more than two channels.
  if (source.channels > 2 && source.channelLayout === undefined) {
    return { kind: 'none', reason: 'channels for unknown speakers in a format without exact seeking' };
  }
  const shape = rawShapeOf(source);
  return shape === undefined ? { kind: 'none', reason: 'samples of an unusual format' } : { kind: 'pcm', shape };
}
