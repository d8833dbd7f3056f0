import type { RequestedCaptionStyle } from './captions.ts';
import type { ChunkList, ListedChunk } from './chunk-list.ts';
import type { ItemGroup } from './index-ranges.ts';
import type { ProviderKey } from './provider.ts';
import type { WantedSpeakers } from './speakers.ts';
import type { Vocabulary } from './vocabulary.ts';
import type { TranscriptUrls } from './written-names.ts';

/** Heartbeat timeout of calls. After this time, a worker has learnt that the run of its call has ended, or counts as lost. */
export const callEndSeconds = 10;

/** One chunk's call to its provider, under one permit. */
export interface ProviderCall {
  provider: ProviderKey;
  index: number;
  /** URL of the chunk; `s3:` is presigned for each call. */
  url: string;
  /** seconds */
  duration: number;
  /** Set to which the chunks belong; the stored answer repeats it. */
  setId?: string;
  /** Set if the answer must have voices, by which the run tells speakers apart. */
  voices?: true;
  /** Names and terms of the recording. */
  vocabulary?: Vocabulary;
  /** Set if the answer must be in English. */
  translate?: true;
  /** Bytes and checksum of the chunk that the run has cut; missing if the list is too long for a history. */
  size?: number;
  sha256?: string;
  /** URL under which the answer is stored; an answer may exceed Temporal's payload limit. */
  answerUrl: string;
  /**
   * Time from the activity's start to the end of the permit; the call is aborted then. A duration, because a worker's
   * clock may be wrong. Undefined without a limiter: the worker's own share of the limits applies.
   */
  permitMs?: number;
  /** Run to which the permit was granted. After a reset, the new run repeats the open calls of the former run. */
  runId?: string;
}

export interface ProviderCallResult {
  segments: number;
  characters: number;
}

/**
 * `details[0]` of a failure of type `ProviderFailed`. The workflow derives the outcome of the chunk and the report to
 * the limiter.
 */
export type ProviderFailure =
  /** The provider answered with an error. */
  | { kind: 'answered'; status: number; errorType?: string; retryAfterSeconds?: number }
  /** No call was made: there is no limiter, and this worker's share of the limits is used up for `waitMs`. */
  | { kind: 'share_used_up'; waitMs: number }
  /** The connection failed or was reset. */
  | { kind: 'unreachable'; errno?: string }
  /** The provider has no trusted certificate; nothing was sent. */
  | { kind: 'untrusted' }
  /** No answer within the provider's `timeoutSeconds`; the connection was closed. */
  | { kind: 'timeout' }
  /** The permit ended before the call. `called`: the provider may have received the request. */
  | { kind: 'permit_expired'; called?: boolean }
  /** A successful answer in another format than the provider's kind requires. */
  | { kind: 'unreadable' }
  /**
   * The chunk could not be read, or the answer could not be stored. `passing`: a retry may help; `called`: the provider
   * may have received the request.
   */
  | { kind: 'storage'; passing: boolean; called?: boolean };

/** Input of the activity that completes the chunk list with the providers' outcomes and assembles the transcript. */
export interface AssembleRequest {
  uploadUrlPrefix: string;
  /** Undefined if it is too large for a payload; the list in the store replaces it. */
  list?: ChunkList;
  /** Id of the run's cut; missing in runs of older versions and in runs that resume their results. */
  setId?: string;
  outcomes: ItemGroup<ChunkOutcome>[];
  /** Seconds at which pauses of the encoded file end; set if chapters were requested. */
  pauses?: number[];
  captions?: RequestedCaptionStyle;
  speakers?: WantedSpeakers;
  /** Set if all answers must be translations; otherwise none may be. */
  translate?: true;
}

export type ChunkOutcome = Pick<ListedChunk, 'status' | 'error' | 'message' | 'attempts' | 'provider'>;

export interface AssembledTranscript extends TranscriptUrls {
  /** URL of podcast chapters. */
  chapters?: string;
  /** Number of captions; missing in the histories of older versions. */
  cues?: number;
}
