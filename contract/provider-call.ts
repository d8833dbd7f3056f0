import type { ProviderKey } from './provider.ts';

/** One chunk's call to its provider, under one permit. */
export interface ProviderCall {
  provider: ProviderKey;
  index: number;
  /** Of the chunk; `s3:` is presigned anew for each call. */
  url: string;
  /** bytes */
  size: number;
  /** seconds */
  duration: number;
  /** Where the answer is written: it may be too large for a payload of Temporal's. */
  answerUrl: string;
  /** ISO 8601; when the permit ends. The call is broken off then. */
  permitUntil?: string;
}

export interface ProviderCallResult {
  segments: number;
  characters: number;
}

/** `details[0]` of a failure of type `ProviderFailed`: what the activity saw. What it means for the chunk and the limiter, the workflow decides. */
export type ProviderFailure =
  /** The provider answered with an error. */
  | { kind: 'answered'; status: number; errorType?: string; retryAfterSeconds?: number }
  /** No connection, or it broke. */
  | { kind: 'unreachable'; errno?: string }
  /** No answer in the provider's `timeoutSeconds`; the connection was closed. */
  | { kind: 'timeout' }
  /** The permit ended before the call did. */
  | { kind: 'permit_expired' }
  /** A successful answer that is not what the provider's kind promises. */
  | { kind: 'unreadable' }
  /** The chunk could not be read, or the answer not be written; `passing` where another try may help. */
  | { kind: 'storage'; passing: boolean };

/** What the transcripts are assembled from, and where they go. */
export interface AssembleRequest {
  uploadUrlPrefix: string;
  chunks: AssembledChunk[];
}

export interface AssembledChunk {
  index: number;
  /** seconds from the start of the source */
  start: number;
  /** seconds */
  duration: number;
  /** Of a completed chunk. */
  answerUrl?: string;
  /** Of a failed one. */
  error?: string;
}

export interface TranscriptUrls {
  json: string;
  vtt: string;
  srt: string;
}
