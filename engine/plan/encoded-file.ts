import type { QualityFacts, ReachedTarget } from '../../contract/http/quality.ts';
import type { OutputPlan } from './planned-output.ts';

/** An output to make, and where its file goes. */
export interface EncodeTarget {
  plan: OutputPlan;
  path: string;
}

/** What went into the encoders of an output's streams; a stream that is not planned is not there. */
export interface EncodedStreams {
  /** what segments have in common is counted once */
  audio?: {
    seconds: number;
    /** Of sound that was copied: how many there are. */
    packets?: number;
  };
  video?: { frames: number; seconds: number; quality?: QualityFacts; target?: ReachedTarget };
}

/** How the file of an output was made. */
export interface EncodedFile {
  streams: EncodedStreams;
  /** 1: one encoder from beginning to end */
  segments: number;
  seams: Seams;
  /** frames of its codec with which segments but the first begin */
  seamFrames: readonly number[];
  /** The files that follow one another, where they were not joined to one: of samples alone. */
  parts?: readonly string[];
  /** By which it was made: a copy that did not come out right was encoded by another plan than its own. */
  plan?: OutputPlan;
}

/** Exact: both encoders wrote the same frames there. Matched: their frames fit together as the codec needs it. */
export interface Seams {
  exact: number;
  matched: number;
}

/** What is told of a file that one encoder made, or none. */
export const unsplitFile = { segments: 1, seams: { exact: 0, matched: 0 }, seamFrames: [] } as const;
