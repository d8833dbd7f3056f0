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

/** Whether two identities certainly describe different bytes; false if that is unknown. */
export function differs(one: SourceIdentity, other: SourceIdentity): boolean {
  if (isSameSource(one, other)) return false;
  const isDifferent = (name: 'sha256' | 'size' | 'validator'): boolean =>
    one[name] !== undefined && other[name] !== undefined && one[name] !== other[name];
  // A proxy may weaken the ETag of some answers; their date then says nothing.
  const isComparable = isEntityTag(one.validator) === isEntityTag(other.validator);
  return isDifferent('sha256') || isDifferent('size') || (isComparable && isDifferent('validator'));
}

/** Whether a validator is an ETag, and not a date. */
export const isEntityTag = (validator = ''): boolean => validator.startsWith('"');
