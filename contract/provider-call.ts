import type { ChunkList, ListedChunk } from './chunk-list.ts';
import type { ItemGroup } from './index-ranges.ts';
import type { ProviderKey } from './provider.ts';

/** One chunk's call to its provider, under one permit. */
export interface ProviderCall {
  provider: ProviderKey;
  index: number;
  /** URL of the chunk; `s3:` is presigned for each call. */
  url: string;
  /** seconds */
  duration: number;
  /** The set of chunks that belong together; the stored answer repeats it. */
  setId?: string;
  /** Where the answer is written: it may be too large for a payload of Temporal's. */
  answerUrl: string;
  /** Missing where no limiter permits the call: then the worker's own share of the limits holds. From the activity's start to the end of the permit at the latest; the call is broken off then. A duration, since the clock of a worker may be wrong. */
  permitMs?: number;
}

export interface ProviderCallResult {
  segments: number;
  characters: number;
}

/** `details[0]` of a failure of type `ProviderFailed`. The workflow decides what it means for the chunk and the limiter. */
export type ProviderFailure =
  /** The provider answered with an error. */
  | { kind: 'answered'; status: number; errorType?: string; retryAfterSeconds?: number }
  /** No call was made: there is no limiter, and this worker's share of the limits is used up for `waitMs`. */
  | { kind: 'share_used_up'; waitMs: number }
  /** No connection, or it broke. */
  | { kind: 'unreachable'; errno?: string }
  /** It has no certificate that can be believed: nothing was sent. */
  | { kind: 'untrusted' }
  /** No answer in the provider's `timeoutSeconds`; the connection was closed. */
  | { kind: 'timeout' }
  /** The permit ended before the call did. `called`: the provider may have got the request. */
  | { kind: 'permit_expired'; called?: boolean }
  /** A successful answer in another format than the provider's kind promises. */
  | { kind: 'unreadable' }
  /** The chunk could not be read, or the answer not be written; `passing` where another try may help, `called` where the provider may have got the request. */
  | { kind: 'storage'; passing: boolean; called?: boolean };

/** What became of the chunks at their provider: the list of them is completed by it, and the transcripts are assembled. */
export interface AssembleRequest {
  uploadUrlPrefix: string;
  /** Missing where they are too many for a payload: then the list in the store has them. */
  list?: ChunkList;
  outcomes: ItemGroup<ChunkOutcome>[];
  /** Where chapters were asked for: seconds at which pauses of the encoded file end. */
  pauses?: number[];
}

export type ChunkOutcome = Pick<ListedChunk, 'status' | 'error' | 'message' | 'attempts' | 'provider'>;

export interface TranscriptUrls {
  json: string;
  vtt: string;
  srt: string;
  /** URL of podcast chapters. */
  chapters?: string;
}
