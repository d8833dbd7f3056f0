import { SourceFrames } from '../../formats/mp3/source-frames.ts';
import { isExactToSeek, type SeekableSource } from '../../formats/seeking.ts';
import { rawShapeOf, type RawShape, type RawSource } from '../../source/raw-samples.ts';

/** A segment's process opens the source itself and seeks: positions in the file are positions in samples. */
export interface SeekEntry {
  kind: 'seek';
  /** Samples that the source says it has: what is missing in its middle would be missing in what is made of it, too. */
  declaredSamples: number | undefined;
}

/** A segment's process is given a part of the source that begins with a frame whose first sample is known. */
export interface FrameEntry {
  kind: 'frames';
  frames: SourceFrames;
}

/** The source is decoded once into a file of raw samples, and a segment's process is given its part of that. */
export interface PcmEntry {
  kind: 'pcm';
  shape: RawShape;
}

/** How a segment's process gets at the sample that it begins with; none where no way is known to be exact. */
export type Entry = SeekEntry | FrameEntry | PcmEntry | { kind: 'none'; reason: string };

export type EntrySource = SeekableSource & RawSource;

/** Reads the source where its format alone does not decide. */
export async function findEntry(source: EntrySource & { path: string }): Promise<Entry> {
  const isMp3 = source.formatName === 'mp3' && source.codec === 'mp3';
  const frames = isMp3 ? await SourceFrames.read(source.path) : undefined;
  return frames === undefined ? chooseEntry(source) : { kind: 'frames', frames };
}

/** What the format of a source decides without reading it (pure). */
export function chooseEntry(source: EntrySource): Entry {
  const { declaredSeconds, sampleRate } = source;
  if (isExactToSeek(source)) {
    const declaredSamples = declaredSeconds === undefined ? undefined : Math.round(declaredSeconds * sampleRate);
    return { kind: 'seek', declaredSamples };
  }
  // A raw file does not say which speaker a channel is for, which matters for more than two.
  if (source.channels > 2 && source.channelLayout === undefined) {
    return { kind: 'none', reason: 'channels for unknown speakers in a format without exact seeking' };
  }
  const shape = rawShapeOf(source);
  return shape === undefined ? { kind: 'none', reason: 'samples of an unusual format' } : { kind: 'pcm', shape };
}
