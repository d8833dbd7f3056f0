import { createHash } from 'node:crypto';
import { ServiceError } from '../errors.ts';

/** 1 to 255 printable characters (docs/contract.md, "Endpoints"). */
const keyPattern = /^[\x20-\x7e]{1,255}$/;

export function parseIdempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined || keyPattern.test(header)) return header;
  throw new ServiceError('invalid_request', 'Idempotency-Key must be 1 to 255 printable ASCII characters.');
}

/** Query parameters that carry a signature and its time. A URL that was signed again still names the same file. */
const signatureParameter = /^x-(?:amz|goog)-/i;

function withoutSignature(value: unknown): unknown {
  if (typeof value !== 'string' || !/^https?:/i.test(value) || !URL.canParse(value)) return value;
  const url = new URL(value);
  for (const name of new Set(url.searchParams.keys())) {
    if (signatureParameter.test(name)) url.searchParams.delete(name);
  }
  return url.href;
}

/** What two requests of one idempotency key must agree in: the parsed body, but for the signatures of its URLs. */
export function fingerprint(kind: string, body: unknown): string {
  const canonical = JSON.stringify({ kind, body }, (_key, value: unknown) => withoutSignature(value));
  return createHash('sha256').update(canonical).digest('hex');
}
