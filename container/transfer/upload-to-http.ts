import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { uploadHeaders } from './request-headers.ts';
import { requestStore } from './store-request.ts';
import type { UploadFile, UploadOptions } from './upload.ts';

/** Reads only as fast as the connection takes it: a listener for the stream's `data` would drain it before a slow connection is open. */
async function* readWithProgress(
  { path, offset = 0, digest: { size } }: UploadFile,
  onProgress: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  let sent = 0;
  // An empty range cannot be said.
  if (size === 0) return;
  for await (const part of createReadStream(path, { start: offset, end: offset + size - 1 })) {
    yield part as Buffer;
    sent += (part as Buffer).length;
    onProgress(sent);
  }
}

/** One PUT; answers the ETag of what is stored. */
export async function uploadToHttp(file: UploadFile, url: URL, options: UploadOptions): Promise<string | undefined> {
  const body = Readable.from(readWithProgress(file, options.onProgress), { objectMode: false });
  try {
    const headers = uploadHeaders(file);
    return (await requestStore(url, { method: 'PUT', headers, body }, options)).etag;
  } finally {
    body.destroy();
  }
}
