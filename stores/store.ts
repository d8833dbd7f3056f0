// Interface of every storage back end. Objects and prefixes are named by URLs, such as `s3://media/in/talk.wav` and
// `s3://media/in/`.

/** Holdfast alone reads and writes the objects; containers may reach them by the same URLs. */
export interface DirectStore {
  kind: 'direct';
  read(url: string): Promise<Stored>;
  /** Stores the whole content or nothing. */
  write(url: string, content: Buffer): Promise<void>;
  /** Ignores an object that does not exist. */
  remove(url: string): Promise<void>;
}

/** Hands out short-lived HTTP URLs, by which containers, browsers and `signed-http.ts` read and write the objects. */
export interface SigningStore {
  kind: 'signing';
  /** Whether uploads can be aborted; otherwise the store itself removes parts that belong to no object. */
  abortsUploads: boolean;
  sign(url: string, request: SignedRequest, lifetime?: Lifetime): Promise<SignedUrl>;
  /** Size in bytes; undefined if the object does not exist. */
  sizeOf(url: string, signal: AbortSignal): Promise<number | undefined>;
  /** Begins an upload in parts and returns its id. */
  beginUpload(url: string, headers: ObjectHeaders, signal: AbortSignal): Promise<string>;
  /** The parts in order; undefined if the upload does not exist or has ended. */
  listParts(url: string, uploadId: string, signal: AbortSignal): Promise<StoredPart[] | undefined>;
  completeUpload(url: string, uploadId: string, parts: readonly StoredPart[], signal: AbortSignal): Promise<void>;
  /**
   * Ignores an upload that has ended. `isOnlyWriter`: nobody else writes to the URL, or reads it before the upload has
   * ended. A store that cannot abort uploads then removes the parts in another way.
   */
  abortUpload(url: string, uploadId: string, signal: AbortSignal, options?: { isOnlyWriter: boolean }): Promise<void>;
  /** Unfinished uploads to all objects whose URLs start with the prefix. */
  listUploads(prefix: string, signal: AbortSignal): Promise<UnfinishedUpload[]>;
}

/**
 * Holdfast logs in to the store, which signs nothing. Containers reach the objects through a relay
 * (docs/decisions/relay-stores-that-sign-nothing.md).
 */
export interface RelayedStore {
  kind: 'relayed';
  /** Throws if the settings have no login for the store of this URL. */
  requireLogin(url: string): Promise<void>;
  /** Logs in, so that a run with a wrong login or an unreachable store fails before its work. */
  check(url: string, signal: AbortSignal): Promise<void>;
  read(url: string, signal: AbortSignal, range?: WantedRange): Promise<RelayedFile>;
  /** Stores the whole content or nothing: the file gets its name after its last byte. Throws if `content` does. */
  write(url: string, content: RelayedContent, signal: AbortSignal): Promise<void>;
  /** Ignores an object that does not exist. */
  remove(url: string, signal: AbortSignal): Promise<void>;
  /** Undefined if the store writes a file only from its first byte. */
  parts?: RelayedParts;
}

/** Uploads whose parts arrive in any order, and again after a failure. Their ids are random names without a slash. */
export interface RelayedParts {
  /** Creates the file under its temporary name. */
  begin(url: string, uploadId: string, signal: AbortSignal): Promise<void>;
  /**
   * Writes a part at its place. `start`: its first byte in the file. Throws if `content` does, and UnusableFile if the
   * upload has ended.
   */
  write(url: string, uploadId: string, start: number, content: RelayedContent, signal: AbortSignal): Promise<void>;
  /** Gives the file its name. Throws UnusableFile if the upload has ended. */
  complete(url: string, uploadId: string, size: number, signal: AbortSignal): Promise<void>;
  /** Ignores an upload that has ended. */
  abort(url: string, uploadId: string, signal: AbortSignal): Promise<void>;
}

/** Bytes to read, including both ends. */
export interface WantedRange {
  start: number;
  /** Undefined reads to the end of the file. */
  end: number | undefined;
  /** If the file has another version, the whole file is read instead. */
  version: string | undefined;
}

export interface RelayedFile {
  /** Size of the whole file in bytes. */
  size: number;
  /** Part of the file that `content` has; undefined if it has the whole file. */
  range: { start: number; end: number } | undefined;
  content: AsyncIterable<Uint8Array>;
  /** ETag; undefined if the store reports none. */
  etag: string | undefined;
  /** Last-Modified */
  modified: string | undefined;
}

export interface RelayedContent {
  /** bytes */
  size: number;
  parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  contentType: string | undefined;
}

export type Store = DirectStore | SigningStore | RelayedStore;

export interface Stored {
  /** bytes */
  size: number;
  content: AsyncIterable<Uint8Array>;
}

export type SignedRequest =
  /** `shown`: content type and Content-Disposition of the answer. */
  | { kind: 'get'; shown?: { contentType: string; disposition: string } }
  | { kind: 'put' }
  | { kind: 'delete' }
  /** `bytes`: the only length that the store accepts; undefined accepts any. */
  | { kind: 'part'; uploadId: string; part: number; bytes?: number }
  | { kind: 'complete' | 'abort'; uploadId: string };

export interface Lifetime {
  from: Date;
  expiresSeconds: number;
}

export interface SignedUrl {
  url: string;
  expiresAtMs: number;
}

/** Headers that the store sends with the object. */
export interface ObjectHeaders {
  contentType?: string | undefined;
  cacheControl?: string | undefined;
}

export interface StoredPart {
  part: number;
  bytes: number;
  etag: string;
  /** Undefined if the store does not report it. */
  storedAtMs?: number | undefined;
}

export interface UnfinishedUpload {
  url: string;
  uploadId: string;
  startedAtMs: number;
}
