import { z } from 'zod';

function schemeOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).protocol : undefined;
}

/** A user name or a password before the host. */
export function hasUserInfo(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}

function mediaUrl(schemes: readonly string[]) {
  const names = schemes.map((scheme) => `${scheme}//`).join(', ');
  return z
    .string()
    .max(8192)
    .refine((url) => schemes.includes(schemeOf(url) ?? ''), { error: `must be a URL that starts with ${names}` });
}

/** What the container can reach by itself (docs/contract.md, "URLs"). */
export const ContainerUrl = mediaUrl(['https:', 'http:', 'file:']);

/** A request of its own to a store, such as one part of an upload. */
export const HttpUrl = mediaUrl(['https:', 'http:']);

/** What a workflow accepts: also `s3://bucket/key`, which activities presign. */
export const WorkflowUrl = mediaUrl(['https:', 'http:', 'file:', 's3:']);

/** Where the files of an output go: one file to a URL, several under a prefix, by their names. */
export type UploadPlace = string | { prefix: string };

/** A folder that outputs go under: `s3://bucket/prefix/` or `file:///folder/`. */
export const UploadUrlPrefix = mediaUrl(['s3:', 'file:']).refine((url) => url.endsWith('/'), {
  error: 'must end with /',
});
