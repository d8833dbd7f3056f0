import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { ServiceError } from '../errors.ts';

const decoders = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
]);

/** Reads the body of a request, decoded. Throws as soon as it is longer than `mostBytes`. */
export async function readBody(request: IncomingMessage, mostBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) throw tooLarge();
  const decoder = decoderOf(request);
  // The allocator keeps the memory of plain buffers; that of a resizable one goes back to the system.
  const buffer = new ArrayBuffer(0, { maxByteLength: mostBytes });
  const body = new Uint8Array(buffer);
  try {
    const chunks: AsyncIterable<Buffer> = (decoder ?? request).iterator({ destroyOnReturn: false });
    for await (const chunk of chunks) {
      const start = buffer.byteLength;
      if (start + chunk.length > mostBytes) throw tooLarge();
      buffer.resize(start + chunk.length);
      body.set(chunk, start);
    }
    return body;
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError('invalid_request', 'The body of the request cannot be read.', { cause: error });
  } finally {
    request.unpipe();
    decoder?.destroy();
    // The connection serves its next request only after the rest of this one.
    request.resume();
  }
}

/** Decodes the body of a request. Returns undefined if the body is not encoded. */
function decoderOf(request: IncomingMessage): Transform | undefined {
  const encoding = (request.headers['content-encoding'] ?? '').toLowerCase();
  if (encoding === '' || encoding === 'identity') return undefined;
  const decoder = decoders.get(encoding)?.();
  if (decoder === undefined) {
    throw new ServiceError('unsupported_media_type', 'Send the request as plain UTF-8 JSON.');
  }
  // A pipe does not forward the loss of the connection.
  request.once('error', (error) => decoder.destroy(error));
  return request.pipe(decoder);
}

function tooLarge(): ServiceError {
  return new ServiceError('request_too_large', 'The request is too large.');
}
