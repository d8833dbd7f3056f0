import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { redactUrlAndFolder } from '../../contract/shown-url.ts';
import { ServiceError } from '../errors.ts';
import { uploadHeaders } from './request-headers.ts';
import { requestStore } from './store-request.ts';
import type { UploadFile, UploadOptions } from './upload-options.ts';
import { UploadWatch } from './upload-watch.ts';

/**
 * Reads only as fast as the connection sends. A listener for the stream's `data` would drain it before a slow
 * connection is open.
 */
async function* readWithProgress(
  { path, offset = 0, digest: { size } }: UploadFile,
  watch: UploadWatch,
  handed: { bytes: number },
  onProgress: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  let sent = 0;
  // An empty range cannot be expressed.
  const parts = size === 0 ? [] : createReadStream(path, { start: offset, end: offset + size - 1 });
  for await (const part of parts) {
    handed.bytes += (part as Buffer).length;
    yield part as Buffer;
    sent += (part as Buffer).length;
    watch.noteSent();
    onProgress(sent);
  }
  watch.noteAllSent(() => onProgress(sent));
}

/** Sends one PUT and returns the ETag of the stored object. */
export async function uploadToHttp(file: UploadFile, url: URL, options: UploadOptions): Promise<string | undefined> {
  const watch = new UploadWatch(url, options.limits);
  /** Bytes that the connection accepted. */
  const handed = { bytes: 0 };
  const body = Readable.from(readWithProgress(file, watch, handed, options.onProgress), { objectMode: false });
  const signal = AbortSignal.any([options.signal, watch.signal]);
  try {
    const headers = uploadHeaders(file);
    // The watch limits both waits.
    const asked = { method: 'PUT', headers, body, headersTimeout: 0 } as const;
    const { etag } = await requestStore(url, asked, { dispatcher: options.dispatcher, signal });
    if (handed.bytes < file.digest.size) throw answeredEarly(url);
    return etag;
  } finally {
    watch.end();
    body.destroy();
  }
}

/** A proxy that answers by itself can cause this: its success says nothing about the store. */
function answeredEarly(url: URL): ServiceError {
  return new ServiceError(
    'upload_failed',
    `The store answered for ${redactUrlAndFolder(url.href)} before it had every byte.`,
  );
}
