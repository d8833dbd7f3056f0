import { createHash } from 'node:crypto';
import { stripSignature } from '../../contract/signed-url.ts';
import { ServiceError } from '../errors.ts';

/** 1 to 255 printable characters (docs/reference/container-api.md, "Idempotency"). */
const keyPattern = /^[\x20-\x7e]{1,255}$/;

export function parseIdempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined || keyPattern.test(header)) return header;
  throw new ServiceError('invalid_request', 'Idempotency-Key must be 1 to 255 printable ASCII characters.');
}

/** Headers belong to a URL and change with its signature. */
function withoutTransferHeaders(value: object): object {
  const isTransfer = 'headers' in value && ['sourceUrl', 'uploadUrl', 'url', 'keyUrl'].some((name) => name in value);
  if (!isTransfer) return value;
  const { headers: _, ...rest } = value;
  return rest;
}

/** Canonical text of a value: without URL signatures and headers. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner === 'string') return stripSignature(inner);
    return typeof inner === 'object' && inner !== null ? withoutTransferHeaders(inner) : inner;
  });
}

/**
 * The part of a request that must agree under one idempotency key: the parsed body without URL signatures and headers.
 */
export function fingerprint(kind: string, body: object): string {
  const hash = createHash('sha256').update(kind);
  for (const [name, value] of Object.entries(withoutTransferHeaders(body))) {
    hash.update(`\n${name}`);
    // One item at a time: the text of a whole list may have many megabytes.
    for (const item of Array.isArray(value) ? value : [value]) hash.update(`\n${canonical(item)}`);
  }
  return hash.digest('hex');
}
