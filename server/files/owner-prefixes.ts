import { backendOf } from '../../stores/backends.ts';
import { isObjectPrefix, isUnder, parseObjectUrl } from '../../stores/object-url.ts';
import { isPlainKey } from '../../stores/plain-key.ts';
import type { Caller } from '../access/caller.ts';
import { ProblemError } from '../problem-error.ts';
import type { BucketUploads } from '../buckets/bucket-uploads.ts';

/** Stands for the owner's name in a prefix. */
const placeholder = '{owner}';

export function isOwnerPrefix(template: string): boolean {
  return isObjectPrefix(prefixOf(template, 'owner'));
}

/** Encoded, so that no owner's name contains a slash or equals another's. */
function prefixOf(template: string, owner: string): string {
  return template.replaceAll(placeholder, encodeURIComponent(owner));
}

/** Windows takes `anna\\..\\bert` and `anna.` for other names. Servers of SFTP and WebDAV may run on it. */
function hasWindowsName(url: string): boolean {
  return /\\|[. ](?:\/|$)/.test(url);
}

interface OwnObjects {
  /** S3_OWNER_PREFIXES */
  ownerPrefixes: readonly string[];
  uploads: BucketUploads | undefined;
}

/**
 * Throws if a URL of an input names an object that the caller may not use. The workers have one set of credentials
 * and logins for all owners, so a caller with an owner is limited to its own objects.
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
  // The prefix of a relayed store names no file itself.
  const object = parseObjectUrl(url.endsWith('/') ? `${url}-` : url);
  const isOwn =
    isPlainKey(object?.key ?? '..') &&
    !(backendOf(url)?.isRelayed === true && hasWindowsName(url)) &&
    ownerPrefixes.some((template) => isUnder(prefixOf(template, owner), url));
  if (isOwn) return;
  throw new ProblemError(
    'forbidden',
    `${field} is a URL of a store outside the prefixes that this token's owner may use. Upload the file, or ask the operator for a prefix in S3_OWNER_PREFIXES.`,
  );
}
