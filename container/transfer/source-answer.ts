import type { Dispatcher } from 'undici';
import type { SourceIdentity } from '../../contract/http/source.ts';
import { isEntityTag } from '../../contract/same-source.ts';
import { compressionOf } from '../../network/compression.ts';

type AnswerHeaders = Dispatcher.ResponseData['headers'];

/** Version of a source, as far as its server reports it. */
export interface SourceVersion {
  totalBytes: number | undefined;
  /** Value of `If-Range`: a strong ETag, or a Last-Modified that is strong (RFC 9110, 13.1.5). */
  validator: string | undefined;
  etag: string | undefined;
  modified: string | undefined;
  /** Whether the server announces that it serves ranges. */
  hasRanges: boolean;
}

/** A file that changes twice in a second keeps its Last-Modified (RFC 9110, 8.8.2.2). */
const strongAfterMs = 1000;

function headerOf(headers: AnswerHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

function strongDate(headers: AnswerHeaders): string | undefined {
  const modified = headerOf(headers, 'last-modified');
  const age = Date.parse(headerOf(headers, 'date') ?? '') - Date.parse(modified ?? '');
  return age >= strongAfterMs ? modified : undefined;
}

/** Version that an answer of 200 describes. */
export function versionOf(headers: AnswerHeaders): SourceVersion {
  const declared = Number(headerOf(headers, 'content-length') ?? Number.NaN);
  const etag = headerOf(headers, 'etag');
  const isStrong = etag !== undefined && /^"[^"]*"$/.test(etag);
  return {
    totalBytes: Number.isSafeInteger(declared) && declared >= 0 ? declared : undefined,
    validator: isStrong ? etag : strongDate(headers),
    etag,
    modified: headerOf(headers, 'last-modified'),
    hasRanges: /\bbytes\b/i.test(headerOf(headers, 'accept-ranges') ?? ''),
  };
}

export function identityOf({ totalBytes, validator }: SourceVersion): SourceIdentity {
  return {
    ...(totalBytes !== undefined && { size: totalBytes }),
    ...(validator !== undefined && { validator }),
  };
}

/** Version that an identity describes; undefined if the identity would not show a change. */
export function versionOfIdentity({ size, validator }: SourceIdentity): SourceVersion | undefined {
  if (size === undefined || validator === undefined) return undefined;
  const [etag, modified] = isEntityTag(validator) ? [validator, undefined] : [undefined, validator];
  return { totalBytes: size, validator, etag, modified, hasRanges: true };
}

/** True if an answer states the validator of the version. A weak ETag does not count. */
function statesVersion(headers: AnswerHeaders, { validator }: SourceVersion): boolean {
  return [headerOf(headers, 'etag'), headerOf(headers, 'last-modified')].includes(validator);
}

export interface ContentRange {
  from: number;
  /** first byte after the range */
  end: number;
  totalBytes: number | undefined;
}

/** Parses `bytes 0-99/1000`, or `bytes 0-99/*` for an unknown total (RFC 9110, 14.4). */
export function parseContentRange(header: string | undefined): ContentRange | undefined {
  const [, from, last, total] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/i.exec(header?.trim() ?? '') ?? [];
  if (from === undefined || last === undefined) return undefined;
  const range = { from: Number(from), end: Number(last) + 1, totalBytes: total === '*' ? undefined : Number(total) };
  const isSane = range.from < range.end && range.end <= (range.totalBytes ?? Infinity);
  return isSane ? range : undefined;
}

export type Continuation =
  | { kind: 'goes_on'; range: ContentRange }
  /** `reason` is for a person. */
  | { kind: 'cannot'; reason: string };

/** `rclone serve s3` sends a range with status 200 and ignores If-Range. */
function isMislabelledRange(range: ContentRange | undefined, headers: AnswerHeaders): boolean {
  return range !== undefined && Number(headerOf(headers, 'content-length')) === range.end - range.from;
}

function differ(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}

/**
 * Many simple servers support ranges but not If-Range, and send bytes of another version. Equal strong ETags outweigh
 * dates.
 */
function isOtherVersion(headers: AnswerHeaders, { etag, modified, validator }: SourceVersion): boolean {
  const sentEtag = headerOf(headers, 'etag');
  if (differ(sentEtag, etag)) return true;
  return sentEtag !== validator && differ(headerOf(headers, 'last-modified'), modified);
}

/** Whether an answer has the bytes from `from` on of the version that the download began with. */
export function judgeContinuation(
  status: number,
  headers: AnswerHeaders,
  from: number,
  version: SourceVersion,
): Continuation {
  const range = parseContentRange(headerOf(headers, 'content-range'));
  // Given If-Range, a server with another version answers with that whole version.
  if (status === 200 && !isMislabelledRange(range, headers)) {
    return { kind: 'cannot', reason: 'it has changed, or cannot be read from its middle' };
  }
  if (status === 416) return { kind: 'cannot', reason: 'it has become shorter' };
  if (compressionOf(headers['content-encoding']) !== undefined || range?.from !== from) {
    return { kind: 'cannot', reason: 'its server sends other bytes than it is asked for' };
  }
  const { totalBytes = range.totalBytes } = version;
  if (isOtherVersion(headers, version) || (range.totalBytes ?? totalBytes) !== totalBytes)
    return { kind: 'cannot', reason: 'it has changed' };
  // A server that ignores If-Range and states no version may send bytes of another one.
  if (!statesVersion(headers, version)) {
    return { kind: 'cannot', reason: 'its server does not state the version of its ranges' };
  }
  // The end of such a range would pass for the end of the source.
  if (totalBytes === undefined) return { kind: 'cannot', reason: 'its server does not state how long it is' };
  return { kind: 'goes_on', range };
}
