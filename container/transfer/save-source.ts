import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Dispatcher } from 'undici';
import type { TransferHeaders } from '../../contract/http/headers.ts';
import { redactUrlAndFolder } from '../../contract/shown-url.ts';
import { ServiceError } from '../errors.ts';
import { digestFile } from './digest.ts';
import type { ScratchRoom } from './scratch-room.ts';

export interface DownloadOptions {
  dispatcher: Dispatcher;
  mediaRoot: string | undefined;
  maxBytes: number;
  /** Expected SHA-256 of the source in hex. */
  sha256?: string | undefined;
  headers?: TransferHeaders | undefined;
  /** Connections to one source whose server serves ranges. */
  connections: number;
  room: ScratchRoom;
  signal: AbortSignal;
  /** Called with each URL that the source redirects to, before it is requested. */
  onRedirect?: ((url: string) => void) | undefined;
  /** `totalBytes` is undefined if the origin does not report it. */
  onProgress(bytes: number, totalBytes: number | undefined): void;
}

export function tooLarge(url: URL, maxBytes: number): ServiceError {
  return new ServiceError(
    'source_too_large',
    `The source ${redactUrlAndFolder(url.href)} is larger than the limit of ${maxBytes} bytes.`,
    {
      details: { maxBytes },
    },
  );
}

/** Streams the bytes into the file `target` and compares their SHA-256 with an expected one. */
export async function saveSource(
  from: Readable,
  target: string,
  url: URL,
  totalBytes: number,
  options: DownloadOptions,
): Promise<void> {
  let bytes = 0;
  const meter = new Transform({
    transform(part: Buffer, _encoding, done) {
      bytes += part.length;
      if (bytes > options.maxBytes) return done(tooLarge(url, options.maxBytes));
      options.onProgress(bytes, totalBytes);
      return done(null, part);
    },
  });
  await pipeline(from, meter, createWriteStream(target, { mode: 0o600 }), { signal: options.signal });
  await checkSha256(url, target, options);
}

/** Reads the file again, because its bytes need not have arrived in order. */
export async function checkSha256(url: URL, path: string, options: DownloadOptions): Promise<void> {
  const expected = options.sha256?.toLowerCase();
  if (expected === undefined) return;
  const { size } = await stat(path);
  const { sha256: actual } = await digestFile(path, options.signal, () => options.onProgress(size, size));
  if (actual === expected) return;
  throw new ServiceError(
    'checksum_mismatch',
    `The source ${redactUrlAndFolder(url.href)} does not match sourceSha256.`,
    { details: { expected, actual } },
  );
}
