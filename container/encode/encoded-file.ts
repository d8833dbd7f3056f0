import type { QualityFacts, ReachedTarget } from '../../contract/http/quality.ts';
import type { OutputPlan } from './output-plan.ts';

/** An output to make, and where its file goes. */
export interface EncodeTarget {
  plan: OutputPlan;
  path: string;
}

/** What went into the encoders of an output's streams; a stream that is not planned is not there. */
export interface EncodedStreams {
  /** what segments have in common is counted once */
  audio?: { seconds: number };
  video?: { frames: number; seconds: number; quality?: QualityFacts; target?: ReachedTarget };
}

/** How the file of an output was made. */
export interface EncodedFile {
  streams: EncodedStreams;
  /** 1: one encoder from beginning to end */
  segments: number;
  seams: Seams;
  /** frames of its codec with which segments but the first begin */
  seamFrames: number[];
  /** The files that follow one another, where they were not joined to one: of samples alone. */
  parts?: readonly string[];
}

/** Exact: both encoders wrote the same frames there. Matched: their frames fit together as the codec needs it. */
export interface Seams {
  exact: number;
  matched: number;
}
