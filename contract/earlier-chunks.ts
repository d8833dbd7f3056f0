import type { ChunkList } from './chunk-list.ts';
import type { Track } from './http/audio.ts';
import type { EncodedOutput } from './http/output.ts';
import type { SourceIdentity } from './http/source.ts';
import type { ItemGroup } from './index-ranges.ts';

/** Settings with which chunks were cut; chunks of other settings cannot be reused. */
export interface ChunkSettings {
  /** seconds */
  chunkDuration: number;
  /** seconds */
  overlapDuration: number;
  /** Format of the file from which `processing` cut the chunks. */
  format?: string | undefined;
  /** Track of the source in that file, if the run named one. */
  track?: Track | undefined;
}

export interface FindEarlierRequest extends ChunkSettings {
  uploadUrlPrefix: string;
  /** Providers whose answers can be reused. */
  providers: string[];
  /** Set if only answers with voices can be reused. */
  voices?: true;
  /** Set if only translations can be reused; otherwise none can. */
  translate?: true;
}

/** Complete chunks and answers of an earlier run with the same settings under a prefix. */
export interface EarlierChunks {
  /** Id of the set to which the chunks belong; answers of providers name it. */
  setId: string;
  source: SourceIdentity;
  /** The file that was cut, if it is complete. */
  encoded?: EncodedOutput;
  totalChunks: number;
  /** seconds */
  totalDuration: number;
  /** Index ranges of the complete chunks. */
  whole: string;
  /** Chunks whose answers are stored. */
  answered: ItemGroup<{ attempts: number; provider: string }>[];
  /** Undefined if it is too long for a history. */
  list?: ChunkList;
}

/** Chunks that a cut can reuse. */
export interface KeptChunks {
  /** Set of the list that holds them. Another run may have replaced that list since. */
  setId: string;
  indexes: string;
  totalChunks: number;
  /** Source that they were cut from, if it must be compared; a different source keeps none. */
  source?: SourceIdentity;
}

/** Result of a step whose source has not changed: the step did nothing. */
export interface Unchanged {
  unchanged: true;
}

export function isUnchanged(result: object): result is Unchanged {
  return 'unchanged' in result;
}
