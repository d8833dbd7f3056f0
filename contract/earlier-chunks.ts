import type { ChunkList } from './chunk-list.ts';
import type { EncodedOutput } from './http/output.ts';
import type { SourceIdentity } from './http/source.ts';
import type { ItemGroup } from './index-ranges.ts';

/** What chunks were cut with: those of other settings are others. */
export interface ChunkSettings {
  /** seconds */
  chunkDuration: number;
  /** seconds */
  overlapDuration: number;
  /** Format of the file that `processing` cut. */
  format?: string | undefined;
}

export interface FindEarlierRequest extends ChunkSettings {
  uploadUrlPrefix: string;
  /** Whose answers are of use. */
  providers: string[];
}

/** Complete chunks and answers of an earlier run with the same settings under a prefix. */
export interface EarlierChunks {
  /** The set of chunks that belong together; answers of providers name it. */
  setId: string;
  /** What the set was made from. */
  source: SourceIdentity;
  /** The file that was cut, where it is whole. */
  encoded?: EncodedOutput;
  totalChunks: number;
  /** seconds */
  totalDuration: number;
  /** Ranges of indexes of complete chunks. */
  whole: string;
  /** Chunks whose answers are stored. */
  answered: ItemGroup<{ attempts: number; provider: string }>[];
  /** Missing where it is too long for a history. */
  list?: ChunkList;
}

/** Which chunks a cut can leave as they are. */
export interface KeptChunks {
  /** The set of the list that holds them. Another run may have replaced that list. */
  setId: string;
  indexes: string;
  totalChunks: number;
  /** What they were cut from, where that is to be compared; with another source none is kept. */
  source?: SourceIdentity;
}

/** How a step ends whose source is the one that was known before: nothing was done. */
export interface Unchanged {
  unchanged: true;
}

export function isUnchanged(result: object): result is Unchanged {
  return 'unchanged' in result;
}
