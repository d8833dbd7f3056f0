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
  /** Of the file that `processing` has cut. */
  format?: string | undefined;
}

export interface FindEarlierRequest extends ChunkSettings {
  uploadUrlPrefix: string;
  /** Whose answers are of use. */
  providers: string[];
}

/** What an earlier run with the same settings has left under a prefix, as far as it is whole. */
export interface EarlierChunks {
  /** Of the set of chunks that belong together; answers of providers tell to which set they belong. */
  setId: string;
  /** What the set was made from. */
  source: SourceIdentity;
  /** The file that was cut, where it is whole. */
  encoded?: EncodedOutput;
  totalChunks: number;
  /** seconds */
  totalDuration: number;
  /** Of the chunks that are whole. */
  whole: string;
  /** Of the chunks whose answers are there. */
  answered: ItemGroup<{ attempts: number; provider: string }>[];
  /** Missing where it is too long for a history. */
  list?: ChunkList;
}

/** Which chunks a cut can leave as they are. */
export interface KeptChunks {
  /** Of the list that they stand in. Another run may have put its own there since. */
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
