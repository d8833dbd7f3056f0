/** Content codings that change the bytes (RFC 9110, 8.4.1). */
const compressions = new Set(['gzip', 'x-gzip', 'deflate', 'compress', 'x-compress', 'br', 'zstd']);

/**
 * Compression that a Content-Encoding names. Servers also send words that change nothing, such as `utf-8` or an empty
 * one. Many S3 stores repeat `aws-chunked`, which described only the upload.
 */
export function compressionOf(contentEncoding: string | string[] | undefined): string | undefined {
  const codings = String(contentEncoding ?? '').split(',');
  return codings.map((coding) => coding.trim().toLowerCase()).find((coding) => compressions.has(coding));
}
