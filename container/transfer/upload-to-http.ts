import { type FileHandle, open } from 'node:fs/promises';
import { redactUrlAndFolder } from '../../contract/shown-url.ts';
import { ServiceError } from '../errors.ts';
import { uploadHeaders } from './request-headers.ts';
import { requestStore } from './store-request.ts';
import type { UploadFile, UploadOptions } from './upload-options.ts';
import { UploadWatch } from './upload-watch.ts';

/** Bytes that are read from the disk at a time. */
const blockBytes = 512 * 1024;

/**
 * Bytes that are handed to the connection at a time. After each piece the upload reports progress. With larger pieces a
 * store's early refusal more often arrives as a lost connection.
 */
const pieceBytes = 64 * 1024;

/** Two blocks are read in turn, because the connection may still hold the last pieces of the block before. */
async function* readPieces(
  file: FileHandle,
  { offset = 0, digest: { size } }: UploadFile,
): AsyncGenerator<Buffer, void, undefined> {
  // New buffers for each piece would cost a third of the processor time, for the collection of garbage.
  let [block, sentBlock] = [0, 1].map(() => Buffer.allocUnsafe(Math.min(blockBytes, size))) as [Buffer, Buffer];
  for (let done = 0; done < size; done += block.length) {
    const wanted = Math.min(block.length, size - done);
    // Only a full block makes sure that the connection has sent the block before it.
    for (let filled = 0; filled < wanted;) {
      const { bytesRead } = await file.read(block, filled, wanted - filled, offset + done + filled);
      if (bytesRead === 0) throw new Error('The file is shorter than it was');
      filled += bytesRead;
    }
    for (let at = 0; at < wanted; at += pieceBytes) yield block.subarray(at, Math.min(at + pieceBytes, wanted));
    [block, sentBlock] = [sentBlock, block];
  }
}

/** Sends one PUT and returns the ETag of the stored object. */
export async function uploadToHttp(file: UploadFile, url: URL, options: UploadOptions): Promise<string | undefined> {
  const watch = new UploadWatch(url, options.limits);
  const { size } = file.digest;
  /** Bytes that the connection accepted. */
  let handed = 0;
  const source = await open(file.path);
  async function* body(): AsyncGenerator<Buffer, void, undefined> {
    for await (const piece of readPieces(source, file)) {
      handed += piece.length;
      yield piece;
      watch.noteSent();
      options.onProgress(handed);
    }
    watch.noteAllSent(() => options.onProgress(size));
  }
  const signal = AbortSignal.any([options.signal, watch.signal]);
  try {
    const headers = uploadHeaders(file);
    // The watch limits both waits.
    const asked = { method: 'PUT', headers, body: body(), headersTimeout: 0 } as const;
    const { etag } = await requestStore(url, asked, { dispatcher: options.dispatcher, signal });
    if (handed < size) throw answeredEarly(url);
    return etag;
  } finally {
    watch.end();
    await source.close();
  }
}

/** A proxy that answers by itself can cause this: its success says nothing about the store. */
function answeredEarly(url: URL): ServiceError {
  return new ServiceError(
    'upload_failed',
    `The store answered for ${redactUrlAndFolder(url.href)} before it had every byte.`,
  );
}
