import { createHash } from 'node:crypto';
import type { SourceIdentity } from '../../contract/http/source.ts';
import { storeUrlOfRelayUrl } from '../../contract/relayed-url.ts';

/**
 * Adds a hash of the source's address without its query, whose signature changes. A file behind a relay has the address of its
 * store, because each worker may have its own relay. It is a hash because lists of chunks may be public.
 */
export function atPlace(identity: SourceIdentity, url: URL): SourceIdentity {
  if (identity.validator === undefined) return identity;
  const address = storeUrlOfRelayUrl(url) ?? `${url.protocol}//${url.host}${url.pathname}`;
  return { ...identity, place: createHash('sha256').update(address).digest('hex') };
}
