import { z } from 'zod';
import { missingSignedHeaders } from '../signed-url.ts';
import { recordOf } from '../record.ts';
import { isHttpUrl } from '../url-scheme.ts';

const mostHeaders = 32;
const mostValueCharacters = 8192;

/** RFC 9110, 5.6.2 */
const headerName = /^[!#$%&'*+.^_`|~0-9a-z-]{1,128}$/i;
const headerValue = /^[\t\x20-\x7e]*$/;

/** Headers of the connection, and headers by which the container selects bytes. */
const reservedNames = new Set([
  ...['connection', 'content-length', 'expect', 'host', 'http2-settings', 'keep-alive', 'proxy-authenticate'],
  ...['proxy-authorization', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['accept-encoding', 'if-range', 'range'],
]);

/** Problem of a map of headers. The sentence never contains values or invalid names. */
export function findHeaderProblem(names: readonly string[]): string | undefined {
  if (names.length > mostHeaders) return `are more than ${mostHeaders}`;
  const seen = new Set<string>();
  for (const name of names) {
    if (!headerName.test(name)) return 'have a name that HTTP does not allow';
    const lowerCase = name.toLowerCase();
    if (reservedNames.has(lowerCase)) return `may not set ${lowerCase}`;
    if (seen.has(lowerCase)) return `name ${lowerCase} twice`;
    seen.add(lowerCase);
  }
  return undefined;
}

export const HeaderValue = z
  .string()
  .max(mostValueCharacters)
  .regex(headerValue, { error: 'must be printable ASCII on one line' });

export function headersOf<Value extends z.ZodType>(value: Value) {
  return recordOf(z.string(), value).superRefine((headers, context) => {
    const problem = findHeaderProblem(Object.keys(headers));
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  });
}

/** Headers of a transfer, sent only to the origin of its URL (docs/reference/urls.md). */
export const TransferHeaders = headersOf(HeaderValue);
export type TransferHeaders = z.infer<typeof TransferHeaders>;

interface WithHeaders {
  headers?: Record<string, unknown> | undefined;
}

function headersIssue(url: string, { headers }: WithHeaders, method: 'get' | 'put'): string | undefined {
  if (headers !== undefined && !isHttpUrl(url)) return 'are only for http: and https: URLs';
  const missing = missingSignedHeaders(url, Object.keys(headers ?? {}), method);
  return missing.length === 0 ? undefined : `must give what the URL's signature covers: ${missing.join(', ')}`;
}

/** Refinement: refuses headers that the source's origin is certain to reject. */
export function checkSourceHeaders(source: WithHeaders & { sourceUrl: string }, context: z.RefinementCtx): void {
  const message = headersIssue(source.sourceUrl, source, 'get');
  if (message !== undefined) context.addIssue({ code: 'custom', message, path: ['headers'] });
}

/** Problem of an upload's headers; without a URL it may have none. */
export function findUploadHeadersProblem(url: string | undefined, upload: WithHeaders): string | undefined {
  if (url !== undefined) return headersIssue(url, upload, 'put');
  return upload.headers === undefined ? undefined : 'need the URL for which they are sent';
}

/** Refinement: `findUploadHeadersProblem` for a list of uploads. */
export function checkUploadHeaders(
  uploads: readonly (WithHeaders & { uploadUrl?: string | undefined })[],
  context: z.RefinementCtx,
): void {
  for (const [index, upload] of uploads.entries()) {
    const message = findUploadHeadersProblem(upload.uploadUrl, upload);
    if (message !== undefined) context.addIssue({ code: 'custom', message, path: [index, 'headers'] });
  }
}
