/** One segment's file as its encoder wrote it; positions are in frames of the codec. */
export interface SegmentFile {
  path: string;
  /** frame of the whole file at which the segment's own part begins */
  cut: number;
  /** frames before it that were encoded only for the encoder to run in */
  runIn: number;
}

/** What became of the segments. */
export interface Stitched {
  /** frames of the whole file */
  frames: number;
  seams: Seams;
}

/** Exact: both encoders wrote the same there. Matched: they are as near to each other as the codec asks for. */
export interface Seams {
  exact: number;
  matched: number;
}

/** Where the frame `position` of the whole file is in a segment's own file. */
export function frameIn(segment: SegmentFile, position: number): number {
  return position - segment.cut + segment.runIn;
}
