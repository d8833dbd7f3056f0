import { createHash } from 'node:crypto';
import type { Lifetime } from '../store.ts';
import { googleAccount } from './google-account.ts';
import type { GoogleVariables } from './google-variables.ts';

export interface GoogleRequest {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** `/<bucket>/<key>`, not encoded */
  path: string;
  query: Readonly<Record<string, string>>;
  /** The only length of the body that the store accepts, in bytes; undefined accepts any. */
  bytes?: number | undefined;
}

export type GoogleSigner = (request: GoogleRequest, lifetime: Lifetime) => Promise<string>;

/** Signs requests by version 4 (https://cloud.google.com/storage/docs/authentication/canonical-requests). */
export function googleSigner(variables: GoogleVariables): GoogleSigner {
  const endpoint = new URL(variables.STORAGE_EMULATOR_HOST ?? 'https://storage.googleapis.com');
  const account = googleAccount(variables);
  return async ({ method, path, query, bytes }, { from, expiresSeconds }) => {
    const { email, sign } = await account();
    const time = from.toISOString().replaceAll(/[-:]|\.\d+/g, '');
    const scope = `${time.slice(0, 8)}/auto/storage/goog4_request`;
    const headers = {
      ...(bytes !== undefined && { 'content-length': String(bytes) }),
      host: endpoint.host,
    };
    const signedHeaders = Object.keys(headers).join(';');
    const parameters = {
      ...query,
      'X-Goog-Algorithm': 'GOOG4-RSA-SHA256',
      'X-Goog-Credential': `${email}/${scope}`,
      'X-Goog-Date': time,
      'X-Goog-Expires': String(expiresSeconds),
      'X-Goog-SignedHeaders': signedHeaders,
    };
    const search = Object.entries(parameters)
      .map(([name, value]) => [encode(name), encode(value)] as const)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map((parameter) => parameter.join('='))
      .join('&');
    const resource = path.split('/').map(encode).join('/');
    const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
    const canonical = [method, resource, search, lines.join(''), signedHeaders, 'UNSIGNED-PAYLOAD'].join('\n');
    const digest = createHash('sha256').update(canonical).digest('hex');
    const signature = await sign(['GOOG4-RSA-SHA256', time, scope, digest].join('\n'));
    return `${endpoint.origin}${resource}?${search}&X-Goog-Signature=${signature}`;
  };
}

/** RFC 3986, 2.3 */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}
