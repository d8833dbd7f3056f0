import { createHash } from 'node:crypto';
import { stripSignature } from '../../contract/signed-url.ts';
import { ServiceError } from '../errors.ts';

/** 1 to 255 printable characters (docs/contract.md, "Endpoints"). */
const keyPattern = /^[\x20-\x7e]{1,255}$/;

export function parseIdempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined || keyPattern.test(header)) return header;
  throw new ServiceError('invalid_request', 'Idempotency-Key must be 1 to 255 printable ASCII characters.');
}

/** What two requests of one idempotency key must agree in: the parsed body, but for the signatures of its URLs. */
export function fingerprint(kind: string, body: unknown): string {
  const canonical = JSON.stringify({ kind, body }, (_key, value: unknown) =>
    typeof value === 'string' ? stripSignature(value) : value,
  );
  return createHash('sha256').update(canonical).digest('hex');
}
