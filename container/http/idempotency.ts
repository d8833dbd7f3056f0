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

/**
 * The part of a request that must agree under one idempotency key: the parsed body without URL signatures and headers.
 */
export function fingerprint(kind: string, body: unknown): string {
  const canonical = JSON.stringify({ kind, body }, (_key, value: unknown) => {
    if (typeof value === 'string') return stripSignature(value);
    return typeof value === 'object' && value !== null ? withoutTransferHeaders(value) : value;
  });
  return createHash('sha256').update(canonical).digest('hex');
}
