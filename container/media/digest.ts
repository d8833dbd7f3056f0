import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

export interface Digest {
  /** bytes */
  size: number;
  sha256: string;
  /** for the Content-MD5 header (RFC 1864) */
  md5Base64: string;
}

/** Reads the file once for all that is said about its bytes. */
export async function digestFile(path: string, signal: AbortSignal): Promise<Digest> {
  const sha256 = createHash('sha256');
  const md5 = createHash('md5');
  let size = 0;
  for await (const part of createReadStream(path, { highWaterMark: 1024 * 1024, signal })) {
    const bytes = part as Buffer;
    size += bytes.length;
    sha256.update(bytes);
    md5.update(bytes);
  }
  return { size, sha256: sha256.digest('hex'), md5Base64: md5.digest('base64') };
}
