import type { Seams } from '../../../plan/encoded-file.ts';
import { CannotJoin } from './cannot-join.ts';

/** A segment's file as its encoder wrote it. Positions are in frames of the codec. */
export interface SegmentFile {
  path: string;
  /** Frame of the whole file at which the segment's own part starts. */
  cut: number;
  /** Frames before the cut, encoded only as run-in. */
  runIn: number;
}

export interface JoinResult {
  /** Consecutive files, if they are not joined to one. */
  parts?: readonly string[];
  /** Frames of the whole file. */
  frames: number;
  seams: Seams;
  /** First frame of each segment except the first, in the whole file. */
  seamFrames: number[];
}

/** Meeting point of two neighbouring segments: the first frame taken from the later one, counted in each file. */
export interface Seam {
  earlier: number;
  later: number;
  isExact: boolean;
}

/** A segment's contribution to the whole file: frames `from` to `to` (exclusive) of its own file. */
export interface Part<Reader, CodecSeam extends Seam> {
  reader: Reader;
  segment: SegmentFile;
  /** Seam with the previous part; the first part has none. */
  seam: CodecSeam | undefined;
  from: number;
  to: number;
}

export type Parts<Reader, CodecSeam extends Seam> = readonly [
  Part<Reader, CodecSeam>,
  ...(readonly Part<Reader, CodecSeam>[]),
];

/** How the segments of one codec are read, compared and written. */
export interface Joiner<Reader extends { close(): Promise<void> }, CodecSeam extends Seam> {
  open(path: string): Promise<Reader>;
  countFrames(reader: Reader): number;
  /** The cuts are where the later segment's own part starts, in frames of each file. Undefined if there is no seam. */
  findSeam(earlier: Reader, earlierCut: number, later: Reader, laterCut: number): Promise<CodecSeam | undefined>;
  /** Condition for a seam, for the log. */
  seamCondition: string;
  write(parts: Parts<Reader, CodecSeam>, outputPath: string): Promise<void>;
}

/** Returns the function that joins segments of one codec to one file. It throws CannotJoin. */
export function segmentJoiner<Reader extends { close(): Promise<void> }, CodecSeam extends Seam>(
  joiner: Joiner<Reader, CodecSeam>,
): (segments: readonly SegmentFile[], outputPath: string) => Promise<JoinResult> {
  return async (segments, outputPath) => {
    const readers: Reader[] = [];
    try {
      for (const { path } of segments) readers.push(await joiner.open(path));
      const parts = await findParts(segments, readers, joiner);
      await joiner.write(parts, outputPath);
      return describeJoin(parts);
    } finally {
      for (const reader of readers) await reader.close();
    }
  };
}

async function findParts<Reader extends { close(): Promise<void> }, CodecSeam extends Seam>(
  segments: readonly SegmentFile[],
  readers: readonly Reader[],
  joiner: Joiner<Reader, CodecSeam>,
): Promise<Parts<Reader, CodecSeam>> {
  const parts: Part<Reader, CodecSeam>[] = [];
  for (const [index, segment] of segments.entries()) {
    const reader = readers[index];
    if (reader === undefined) continue;
    const before = parts.at(-1);
    const seam = before && (await findSeam(before, reader, segment, joiner));
    if (before !== undefined && seam === undefined) {
      throw new CannotJoin(`no place at seam ${index} ${joiner.seamCondition}`);
    }
    if (before !== undefined && seam !== undefined) before.to = seam.earlier;
    parts.push({ reader, segment, seam, from: seam?.later ?? 0, to: joiner.countFrames(reader) });
  }
  if (parts.some(({ from, to }) => from >= to)) throw new CannotJoin('a segment that has no frame between its seams');
  const [first, ...others] = parts;
  if (first === undefined) throw new CannotJoin('there are no segments');
  return [first, ...others];
}

async function findSeam<Reader extends { close(): Promise<void> }, CodecSeam extends Seam>(
  before: Part<Reader, CodecSeam>,
  reader: Reader,
  segment: SegmentFile,
  joiner: Joiner<Reader, CodecSeam>,
): Promise<CodecSeam | undefined> {
  const { cut } = segment;
  return await joiner.findSeam(before.reader, toOwnFrame(before.segment, cut), reader, toOwnFrame(segment, cut));
}

/** Position in a segment's own file of the frame `position` of the whole file. */
function toOwnFrame(segment: SegmentFile, position: number): number {
  return position - segment.cut + segment.runIn;
}

function describeJoin(parts: readonly Part<unknown, Seam>[]): JoinResult {
  const joined = parts.flatMap(({ seam, segment }) => (seam === undefined ? [] : [{ seam, segment }]));
  const exact = joined.filter(({ seam }) => seam.isExact).length;
  return {
    frames: parts.reduce((sum, { from, to }) => sum + to - from, 0),
    seams: { exact, matched: joined.length - exact },
    seamFrames: joined.map(({ seam, segment }) => seam.later - segment.runIn + segment.cut),
  };
}
