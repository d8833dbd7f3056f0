import { createHash } from 'node:crypto';
import type { SourceIdentity } from '../../contract/http/source.ts';

/**
 * Adds a hash of the source's address without its query, whose signature changes. It is a hash because lists of chunks
 * may be public.
 */
export function atPlace(identity: SourceIdentity, { protocol, host, pathname }: URL): SourceIdentity {
  if (identity.validator === undefined) return identity;
  return { ...identity, place: createHash('sha256').update(`${protocol}//${host}${pathname}`).digest('hex') };
}
