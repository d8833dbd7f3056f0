import { z } from 'zod';
import { parseRelayedUrl, relayedSchemes } from '../relayed-url.ts';
import { schemeOf } from '../url-scheme.ts';

/** Whether the URL has a user name or password. */
export function hasUserInfo(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}

/** False if a URL parser takes a part of the file's name for a query or a fragment, as in `file:///talk #1.mp3`. */
function isWholePath(url: string): boolean {
  return !/[?#]/.test(new URL(url).href);
}

const partOfPath = 'names a file by its path alone: write %3F for ? and %23 for # in the name';

type ForbiddenUrlCode = 'source_forbidden' | 'upload_forbidden';

/** A URL of another scheme is refused with the code `forbidden`, if given. */
function mediaUrl(schemes: readonly string[], forbidden?: ForbiddenUrlCode) {
  const names = schemes.map((scheme) => `${scheme}//`).join(', ');
  return z
    .string()
    .max(8192)
    .superRefine((url, context) => {
      const scheme = schemeOf(url);
      if (scheme !== undefined && schemes.includes(scheme)) {
        if (scheme === 'file:' && !isWholePath(url)) context.addIssue({ code: 'custom', message: partOfPath });
        if (relayedSchemes.includes(scheme) && parseRelayedUrl(url) === undefined) {
          context.addIssue({ code: 'custom', message: 'must name a host alone before its path, without a user name' });
        }
        return;
      }
      const message = `must be a URL that starts with ${names}`;
      context.addIssue({ code: 'custom', message, params: scheme === undefined ? {} : { forbidden } });
    });
}

/** Error code of a valid URL whose scheme the container does not support. */
export function forbiddenUrlCode(issue: z.core.$ZodIssue): ForbiddenUrlCode | undefined {
  return issue.code === 'custom' ? issue.params?.['forbidden'] : undefined;
}

/** Schemes that the container supports (docs/reference/urls.md). */
const containerSchemes = ['https:', 'http:', 'file:'];
export const ContainerSourceUrl = mediaUrl(containerSchemes, 'source_forbidden');
export const ContainerUploadUrl = mediaUrl(containerSchemes, 'upload_forbidden');

/** URL of one request to a store, such as one part of an upload. */
export const HttpUrl = mediaUrl(['https:', 'http:']);

/** Schemes of stores whose requests activities presign, and of stores behind a relay. */
const storeSchemes = ['s3:', 'az:', 'gs:', ...relayedSchemes];

/** URL that a workflow accepts; it may name a file in a store, such as `s3://bucket/key`. */
export const WorkflowUrl = mediaUrl(['https:', 'http:', 'file:', ...storeSchemes]);

/** Destination of an output: a URL for one file, a prefix for several. */
export type UploadPlace = string | { prefix: string };

/** Folder for outputs, such as `s3://bucket/prefix/` or `file:///folder/`. */
export const UploadUrlPrefix = mediaUrl([...storeSchemes, 'file:']).refine((url) => url.endsWith('/'), {
  error: 'must end with /',
});
