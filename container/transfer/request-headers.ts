import { azureBlobHeaders, signsUnknownContentHeaders } from '../../contract/signed-url.ts';
import type { TransferHeaders } from '../../contract/http/headers.ts';
import type { UploadFile } from './upload-options.ts';

type Headers = Record<string, string>;

function lowerCased(headers: TransferHeaders | undefined): Headers {
  return Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
}

export function downloadHeaders(given: TransferHeaders | undefined): Headers {
  // A compressed answer could expand past every limit, and its length would not be the file's.
  return { 'user-agent': 'holdfast', ...lowerCased(given), 'accept-encoding': 'identity' };
}

/** Headers of the caller take precedence. A header that could contradict the URL's signature is left out. */
export function uploadHeaders({ uploadUrl, headers, contentType, cacheControl, digest }: UploadFile): Headers {
  return {
    'user-agent': 'holdfast',
    // With the digest a store rejects a truncated body instead of keeping half an object.
    ...(!signsUnknownContentHeaders(uploadUrl) && {
      'content-md5': digest.md5Base64,
      ...(contentType !== undefined && { 'content-type': contentType }),
    }),
    ...(cacheControl !== undefined && { 'cache-control': cacheControl }),
    ...azureBlobHeaders(uploadUrl),
    ...lowerCased(headers),
    // S3 refuses chunked transfer.
    'content-length': String(digest.size),
  };
}
