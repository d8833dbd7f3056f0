import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { request, type Dispatcher } from 'undici';
import { redactUrlAndFolder } from '../../contract/shown-url.ts';
import { ServiceError } from '../errors.ts';
import { locateSource } from './file-url.ts';
import { tryLink } from './hard-link.ts';
import { transportFailure } from './transport-failure.ts';

const maxRedirects = 3;

export interface DownloadOptions {
  dispatcher: Dispatcher;
  mediaRoot: string | undefined;
  maxBytes: number;
  /** Lower-case hex; the fetched bytes must have it. */
  sha256?: string | undefined;
  signal: AbortSignal;
  /** `totalBytes` is undefined where the origin does not say. */
  onProgress(bytes: number, totalBytes: number | undefined): void;
}

function tooLarge(url: URL, maxBytes: number): ServiceError {
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

async function save(
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

async function fetchFile(url: URL, target: string, options: DownloadOptions): Promise<void> {
  const located = await locateSource(url, options.mediaRoot);
  switch (located.kind) {
    case 'refused':
      throw new ServiceError(
        'source_forbidden',
        `The source ${redactUrlAndFolder(url.href)} may not be read: ${located.reason}.`,
      );
    case 'missing':
      throw new ServiceError('source_not_found', `The source ${redactUrlAndFolder(url.href)} does not exist.`);
    case 'inside':
  }
  const facts = await stat(located.path);
  if (!facts.isFile())
    throw new ServiceError('source_forbidden', `The source ${redactUrlAndFolder(url.href)} is not a plain file.`);
  if (facts.size > options.maxBytes) throw tooLarge(url, options.maxBytes);
  if (options.sha256 === undefined && (await tryLink(located.path, target))) {
    options.onProgress(facts.size, facts.size);
    return;
  }
  await save(createReadStream(located.path), target, url, facts.size, options);
}

function refusedStatus(url: URL, status: number): ServiceError {
  const shown = redactUrlAndFolder(url.href);
  const details = { status };
  if (status === 404 || status === 410) {
    return new ServiceError('source_not_found', `The source ${shown} does not exist (HTTP ${status}).`, { details });
  }
  if (status >= 500 || status === 408 || status === 425 || status === 429) {
    return new ServiceError('source_unavailable', `The source ${shown} is not available now (HTTP ${status}).`, {
      details,
    });
  }
  return new ServiceError('source_forbidden', `The source ${shown} may not be read (HTTP ${status}).`, { details });
}

function checkedHttpUrl(url: URL): URL {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new ServiceError('source_forbidden', `The source redirects to ${url.protocol}, which is not allowed.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new ServiceError('source_forbidden', 'A source URL may not carry a user name or password.');
  }
  return url;
}

/** Drops an answer unread. Nobody listens to it yet, and the error that undici makes of it would end the process. */
function discard(body: Readable): void {
  body.on('error', () => {}).destroy();
}

async function fetchHttp(start: URL, target: string, options: DownloadOptions): Promise<void> {
  let url = start;
  for (let hop = 0; ; hop += 1) {
    checkedHttpUrl(url);
    const response = await request(url, {
      dispatcher: options.dispatcher,
      signal: options.signal,
      // A compressed answer could unfold past every limit, and its length would say nothing of the file's.
      headers: { 'accept-encoding': 'identity', 'user-agent': 'holdfast' },
    });
    const { statusCode: status, headers, body } = response;
    const location = headers['location'];
    if (status >= 300 && status < 400 && typeof location === 'string') {
      await body.dump();
      if (hop === maxRedirects) {
        throw new ServiceError(
          'source_forbidden',
          `The source ${redactUrlAndFolder(start.href)} redirects more than ${maxRedirects} times.`,
        );
      }
      if (!URL.canParse(location, url.href)) throw refusedStatus(url, status);
      url = new URL(location, url);
      continue;
    }
    if (status !== 200) {
      await body.dump();
      throw refusedStatus(url, status);
    }
    const encoding = headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity') {
      discard(body);
      throw new ServiceError(
        'undecodable_source',
        `The source ${redactUrlAndFolder(url.href)} came with content-encoding ${String(encoding).slice(0, 40)}, though the plain file was asked for.`,
      );
    }
    const declared = Number(headers['content-length'] ?? Number.NaN);
    const totalBytes = Number.isSafeInteger(declared) ? declared : undefined;
    if (totalBytes !== undefined && totalBytes > options.maxBytes) {
      discard(body);
      throw tooLarge(url, options.maxBytes);
    }
    return save(body, target, url, totalBytes, options);
  }
}

/** Streams the source into the file `target`. What cannot be had is a ServiceError; an abort is thrown as its reason. */
export async function downloadSource(sourceUrl: string, target: string, options: DownloadOptions): Promise<void> {
  const url = new URL(sourceUrl);
  try {
    await (url.protocol === 'file:' ? fetchFile(url, target, options) : fetchHttp(url, target, options));
  } catch (error) {
    options.signal.throwIfAborted();
    const failure = transportFailure(error);
    if (failure === undefined) throw error;
    switch (failure.kind) {
      case 'address_not_allowed':
        throw new ServiceError(
          'source_forbidden',
          `The source's host ${failure.host} is an internal address, which is not allowed.`,
        );
      case 'stalled':
        throw new ServiceError('stalled', `The source ${redactUrlAndFolder(url.href)} stopped sending.`, {
          cause: error,
        });
      case 'unreachable':
        throw new ServiceError(
          'source_unavailable',
          `The source ${redactUrlAndFolder(url.href)} could not be fetched: ${failure.reason}.`,
          {
            cause: error,
          },
        );
    }
  }
}
