import { createHash } from 'node:crypto';
import type { SourceIdentity } from '../../contract/http/source.ts';

/** With where the source lies, without the query, in which each signature is another; hashed, as lists of chunks may be public. */
export function atPlace(identity: SourceIdentity, { protocol, host, pathname }: URL): SourceIdentity {
  if (identity.validator === undefined) return identity;
  return { ...identity, place: createHash('sha256').update(`${protocol}//${host}${pathname}`).digest('hex') };
}
