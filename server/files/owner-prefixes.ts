import { backendOf } from '../../stores/backends.ts';
import { isSignedPrefix, isUnder, parseObjectUrl } from '../../stores/object-url.ts';
import { isPlainKey } from '../../stores/plain-key.ts';
import type { Caller } from '../access/caller.ts';
import { ProblemError } from '../problem-error.ts';
import type { BucketUploads } from '../buckets/bucket-uploads.ts';

/** Stands for the owner's name in a prefix. */
const placeholder = '{owner}';

export function isOwnerPrefix(template: string): boolean {
  return isSignedPrefix(prefixOf(template, 'owner'));
}

/** Encoded, so that no owner's name contains a slash or equals another's. */
function prefixOf(template: string, owner: string): string {
  return template.replaceAll(placeholder, encodeURIComponent(owner));
}

interface OwnObjects {
  /** S3_OWNER_PREFIXES */
  ownerPrefixes: readonly string[];
  uploads: BucketUploads | undefined;
}

/**
 * Throws if a URL of an input names an object that the caller may not use. The workers sign URLs with one set of
 * credentials for all owners, so a caller with an owner is limited to its own objects.
 */
export function requireOwnObject(
  field: string,
  url: string,
  caller: Caller,
  { ownerPrefixes, uploads }: OwnObjects,
): void {
  const { owner } = caller;
  // URL parsers ignore line breaks in a scheme.
  const scheme = URL.canParse(url) ? new URL(url).protocol : url;
  if (owner === undefined || backendOf(scheme) === undefined) return;
  // Answers 404 for another owner's upload.
  uploads?.requireOwn(url, caller);
  if (uploads?.isOwn(url, caller) === true) return;
  const isOwn =
    isPlainKey(parseObjectUrl(url)?.key ?? '..') &&
    ownerPrefixes.some((template) => isUnder(prefixOf(template, owner), url));
  if (isOwn) return;
  throw new ProblemError(
    'forbidden',
    `${field} is a URL of a store outside the prefixes that this token's owner may use. Upload the file, or ask the operator for a prefix in S3_OWNER_PREFIXES.`,
  );
}
