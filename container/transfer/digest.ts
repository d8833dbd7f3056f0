import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

export interface Digest {
  size: number;
  sha256: string;
  /** value of the Content-MD5 header (RFC 1864) */
  md5Base64: string;
}

const bufferBytes = 256 * 1024;

/** MD5 of a part of the file, for the Content-MD5 header. */
export async function digestRange(path: string, offset: number, size: number, signal: AbortSignal): Promise<string> {
  const md5 = createHash('md5');
  const buffer = Buffer.allocUnsafe(bufferBytes);
  const file = await open(path);
  try {
    for (let done = 0; done < size;) {
      signal.throwIfAborted();
      const { bytesRead } = await file.read(buffer, 0, Math.min(bufferBytes, size - done), offset + done);
      if (bytesRead === 0) throw new Error('The file is shorter than it was');
      md5.update(buffer.subarray(0, bytesRead));
      done += bytesRead;
    }
    return md5.digest('base64');
  } finally {
    await file.close();
  }
}

/** Reads the file once for its size and both digests; calls `onProgress` after each part. */
export async function digestFile(path: string, signal: AbortSignal, onProgress: () => void): Promise<Digest> {
  const sha256 = createHash('sha256');
  const md5 = createHash('md5');
  // A stream would leave as many megabytes of garbage as the file has, so one buffer is reused.
  const buffer = Buffer.allocUnsafe(bufferBytes);
  let size = 0;
  const file = await open(path);
  try {
    for (;;) {
      signal.throwIfAborted();
      const { bytesRead } = await file.read(buffer, 0, bufferBytes);
      if (bytesRead === 0) return { size, sha256: sha256.digest('hex'), md5Base64: md5.digest('base64') };
      const part = buffer.subarray(0, bytesRead);
      sha256.update(part);
      md5.update(part);
      size += bytesRead;
      onProgress();
    }
  } finally {
    await file.close();
  }
}
