import { z } from 'zod';
import { HeaderValue, headersOf } from '../http/headers.ts';

/** Name of a worker's variable, read when the request is made: the value never enters Temporal's history. */
const HeaderReference = z.strictObject({
  env: z.string().regex(/^HEADER_[A-Z0-9_]{1,100}$/, { error: 'must be a name such as HEADER_CDN_TOKEN' }),
});

/** Headers that describe a file and are safe in a history. */
const plainNames = new Set([
  ...['accept', 'cache-control', 'content-disposition', 'content-encoding', 'content-language', 'content-md5'],
  ...['content-type', 'expires', 'if-match', 'if-none-match', 'origin', 'user-agent', 'x-amz-acl'],
  ...['x-amz-content-sha256', 'x-amz-server-side-encryption', 'x-amz-storage-class', 'x-amz-tagging'],
  ...['x-goog-acl', 'x-goog-content-length-range', 'x-goog-storage-class', 'x-ms-access-tier', 'x-ms-version'],
]);
const plainPrefixes = /^x-(?:amz-checksum-|amz-meta-|goog-meta-|ms-blob-|ms-meta-)/;

function mayBePlain(name: string): boolean {
  return plainNames.has(name.toLowerCase()) || plainPrefixes.test(name.toLowerCase());
}

/** The container's headers, without values that a history must not show. */
export const WorkflowHeaders = headersOf(
  z.union([HeaderValue, HeaderReference], { error: 'must be printable ASCII, or {"env": "HEADER_…"}' }),
).superRefine((headers, context) => {
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string' || mayBePlain(name)) continue;
    context.addIssue({
      code: 'custom',
      message: `may hold a secret in ${name.toLowerCase().slice(0, 128)}, which Temporal would show: use {"env": "HEADER_…"}, a variable of the worker`,
    });
  }
});
export type WorkflowHeaders = z.infer<typeof WorkflowHeaders>;
