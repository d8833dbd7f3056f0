import type { QualityFacts, ReachedTarget } from '../../contract/http/quality.ts';
import type { OutputPlan } from './planned-output.ts';

export interface EncodeTarget {
  plan: OutputPlan;
  path: string;
}

/** What entered the encoders of an output's streams. A stream that is not planned is absent. */
export interface EncodedStreams {
  /** Samples in overlaps of segments count once. */
  audio?: {
    seconds: number;
    /** Number of packets, if the sound was copied. */
    packets?: number;
    /** Gaps in the source's timestamps were filled, or overlaps dropped. */
    isMended?: boolean;
  };
  video?: {
    frames: number;
    seconds: number;
    quality?: QualityFacts;
    target?: ReachedTarget;
    /** Rate factors of the scenes of a film that was joined from segments, for a target per scene. */
    sceneCrfs?: readonly number[];
  };
}

/** How the file of an output was made. */
export interface EncodedFile {
  streams: EncodedStreams;
  /** 1: a single encoder made the file. */
  segments: number;
  seams: Seams;
  /** First frame of each segment except the first. */
  seamFrames: readonly number[];
  /** Consecutive files of samples that were not joined to one. */
  parts?: readonly string[];
  /** Plan by which the file was made, if a failed copy was encoded by another plan than its own. */
  plan?: OutputPlan;
}

/** Exact: both encoders wrote the same frames at the seam. Matched: their frames fit together as the codec requires. */
export interface Seams {
  exact: number;
  matched: number;
}

/** Facts for a file that a single encoder made, or none. */
export const unsplitFile = { segments: 1, seams: { exact: 0, matched: 0 }, seamFrames: [] } as const;
