/** One segment's file as its encoder wrote it; positions are in frames of the codec. */
export interface SegmentFile {
  path: string;
  /** frame of the whole file at which the segment's own part begins */
  cut: number;
  /** frames before it that were encoded only for the encoder to run in */
  runIn: number;
}

/** What became of the segments. */
export interface Joined {
  /** frames of the whole file */
  frames: number;
  seams: Seams;
  /** the frame of the whole file that each segment but the first begins with */
  seamFrames: number[];
}

/** Exact: both encoders wrote the same there. Matched: they are as near to each other as the codec asks for. */
export interface Seams {
  exact: number;
  matched: number;
}

/** Where two neighbouring segments meet: the first frame that is taken from the later one, counted in each file. */
export interface Seam {
  earlier: number;
  later: number;
  isExact: boolean;
}

/** What the seams of a finished file come to. */
export function sumUp(segments: readonly SegmentFile[], seams: readonly Seam[], frames: number): Joined {
  const exact = seams.filter(({ isExact }) => isExact).length;
  const seamFrames = seams.map(({ later }, index) => {
    const segment = segments[index + 1];
    return segment === undefined ? later : later - segment.runIn + segment.cut;
  });
  return { frames, seams: { exact, matched: seams.length - exact }, seamFrames };
}

/** Where the frame `position` of the whole file is in a segment's own file. */
export function frameIn(segment: SegmentFile, position: number): number {
  return position - segment.cut + segment.runIn;
}
