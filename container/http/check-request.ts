import type { z } from 'zod';
import { ChunkRequest, type PackedChunkRequest } from '../../contract/http/chunk.ts';
import { EncodeRequest } from '../../contract/http/encode.ts';
import { MetadataRequest } from '../../contract/http/metadata.ts';
import { SourceRequest } from '../../contract/http/source.ts';
import { UploadUrlsRequest } from '../../contract/http/upload-urls.ts';
import { measureJson } from '../../contract/json-values.ts';
import { packList } from '../../contract/packed-list.ts';
import { ServiceError } from '../errors.ts';
import { fingerprint } from './idempotency.ts';
import { parseBody } from './validation.ts';

const schemas = {
  encode: EncodeRequest,
  chunk: ChunkRequest,
  metadata: MetadataRequest,
  source: SourceRequest,
  uploadUrls: UploadUrlsRequest,
};

/** A request that has a body. */
export type RequestName = keyof typeof schemas;

type ParsedBody<Name extends RequestName> = z.infer<(typeof schemas)[Name]>;

export type RequestBody<Name extends RequestName> = Name extends 'chunk' ? PackedChunkRequest : ParsedBody<Name>;

export interface CheckedRequest<Name extends RequestName> {
  body: RequestBody<Name>;
  /** What idempotency compares. */
  fingerprint: string;
}

function packed(body: ParsedBody<RequestName>): RequestBody<RequestName> {
  return 'chunks' in body ? { ...body, chunks: packList(body.chunks) } : body;
}

/** Above the largest valid request: 10,000 chunks with 32 headers each. */
const mostValues = 500_000;

function refuseManyValues(bytes: Uint8Array): void {
  if (measureJson(bytes).values <= mostValues) return;
  throw new ServiceError('request_too_large', `The request has more than ${mostValues} values.`);
}

/** Node copies a longer string to plain memory, which the allocator keeps after the string is gone. */
const partBytes = 512 * 1024;

function decoded(bytes: Uint8Array): string {
  const decoder = new TextDecoder();
  let text = '';
  for (let start = 0; start < bytes.length; start += partBytes) {
    text += decoder.decode(bytes.subarray(start, start + partBytes), { stream: true });
  }
  return text + decoder.decode();
}

/** Checks a request's body, in UTF-8. All work whose time grows with the body is done here. */
export function checkRequest<Name extends RequestName>(name: Name, bytes: Uint8Array): CheckedRequest<Name> {
  refuseManyValues(bytes);
  try {
    const body = parseBody(schemas[name], JSON.parse(decoded(bytes))) as ParsedBody<Name>;
    return { body: packed(body) as RequestBody<Name>, fingerprint: fingerprint(name, body) };
  } catch (error) {
    if (error instanceof SyntaxError) throw new ServiceError('invalid_request', 'The request is not valid JSON.');
    // JSON of any depth can be parsed, but not written.
    if (error instanceof RangeError) throw new ServiceError('invalid_request', 'The request is nested too deeply.');
    throw error;
  }
}
