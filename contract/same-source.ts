import type { SourceIdentity } from './http/source.ts';

/** Whether two identities are of the same bytes; false if that is unknown. */
export function isSameSource(one: SourceIdentity, other: SourceIdentity): boolean {
  if (one.sha256 !== undefined && other.sha256 !== undefined) {
    return one.sha256.toLowerCase() === other.sha256.toLowerCase();
  }
  return (
    one.validator !== undefined &&
    one.validator === other.validator &&
    one.size === other.size &&
    one.place === other.place
  );
}
