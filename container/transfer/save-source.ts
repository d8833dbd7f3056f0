import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Dispatcher } from 'undici';
import type { TransferHeaders } from '../../contract/http/headers.ts';
import { redactUrlAndFolder } from '../../contract/shown-url.ts';
import { ServiceError } from '../errors.ts';

export interface DownloadOptions {
  dispatcher: Dispatcher;
  mediaRoot: string | undefined;
  maxBytes: number;
  /** In hex; the source's bytes must have it. */
  sha256?: string | undefined;
  headers?: TransferHeaders | undefined;
  signal: AbortSignal;
  /** `totalBytes` is undefined where the origin does not say. */
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

/** Counts, limits and hashes the bytes that pass. */
function meter(
  url: URL,
  totalBytes: number | undefined,
  options: DownloadOptions,
): { through: Transform; sha256(): string | undefined } {
  const hash = options.sha256 === undefined ? undefined : createHash('sha256');
  let bytes = 0;
  const through = new Transform({
    transform(part: Buffer, _encoding, done) {
      bytes += part.length;
      if (bytes > options.maxBytes) return done(tooLarge(url, options.maxBytes));
      hash?.update(part);
      options.onProgress(bytes, totalBytes);
      return done(null, part);
    },
  });
  return { through, sha256: () => hash?.digest('hex') };
}

/** Streams the bytes into the file `target`, and compares their SHA-256 where one was given. */
export async function saveSource(
  from: Readable,
  target: string,
  url: URL,
  totalBytes: number | undefined,
  options: DownloadOptions,
): Promise<void> {
  const { through, sha256 } = meter(url, totalBytes, options);
  await pipeline(from, through, createWriteStream(target, { mode: 0o600 }), { signal: options.signal });
  checkSha256(url, sha256(), options.sha256);
}

function checkSha256(url: URL, actual: string | undefined, expected: string | undefined): void {
  if (expected === undefined || actual === expected.toLowerCase()) return;
  throw new ServiceError(
    'checksum_mismatch',
    `The source ${redactUrlAndFolder(url.href)} is not the file that sourceSha256 names.`,
    {
      details: { expected: expected.toLowerCase(), actual },
    },
  );
}
