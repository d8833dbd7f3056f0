import { createHash } from 'node:crypto';
import { type Dispatcher, request } from 'undici';
import { azureBlobHeaders } from '../contract/signed-url.ts';
import { isCredentialRefusal, isTransientStoreAnswer, storeCodeIn } from '../contract/store-answer.ts';
import { untrustedReason } from '../contract/tls-failure.ts';
import { errnoOf } from '../contract/unknown-values.ts';
import type { Stored } from './store.ts';
import { StorageError, UnusableFile } from './store-error.ts';

/** A healthy store answers at once. The transfer itself may take longer; the timeout of the whole call limits it. */
const answerTimeoutMs = 20_000;
/** A connection without a byte for this long is dead. */
const idleTimeoutMs = 20_000;

/** Limit for an error page. */
const maxPageChars = 16 * 1024;

/** S3 answers 403 for a missing file if the caller may not list the bucket. */
const missingStatuses = new Set([403, 404]);

/** An object and the signed URL to request it by. Errors name only the object: the signature is a secret. */
export interface SignedObject {
  url: string;
  signedUrl: string;
}

export async function readSigned(object: SignedObject, signal: AbortSignal): Promise<Stored> {
  const answer = await requestSigned(object, { method: 'GET', headers: { 'accept-encoding': 'identity' } }, signal);
  const size = Number(answer.headers['content-length']);
  if (Number.isSafeInteger(size)) return { size, content: answer.body };
  throw new StorageError(`The store does not report the length of ${fileNameOf(object.url)}`, true);
}

export async function writeSigned(
  object: SignedObject,
  body: Buffer,
  contentType: string,
  signal: AbortSignal,
): Promise<void> {
  const headers = {
    ...azureBlobHeaders(object.signedUrl),
    'content-type': contentType,
    'content-length': String(body.length),
    'content-md5': createHash('md5').update(body).digest('base64'),
  };
  const answer = await requestSigned(object, { method: 'PUT', headers, body }, signal);
  await answer.body.dump();
}

/** Ignores an object that does not exist. */
export async function removeSigned(object: SignedObject, signal: AbortSignal): Promise<void> {
  const answer = await requestSigned(object, { method: 'DELETE', headers: {} }, signal);
  await answer.body.dump();
}

/** Sends one request. Throws a StorageError that says whether a retry may help. */
export async function requestSigned(
  { url, signedUrl }: SignedObject,
  options: { method: Dispatcher.HttpMethod; headers: Record<string, string>; body?: Buffer | string },
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  let answer: Dispatcher.ResponseData;
  try {
    const timeouts = { headersTimeout: answerTimeoutMs, bodyTimeout: idleTimeoutMs };
    answer = await request(signedUrl, { ...options, ...timeouts, signal });
  } catch (error) {
    if (signal.aborted) throw error;
    const errno = errnoOf(error);
    const untrusted = untrustedReason(errno);
    if (untrusted !== undefined) {
      throw new StorageError(`The store of ${url} cannot be trusted: ${untrusted}`, false, { cause: error });
    }
    const reason = errno === undefined ? '' : ` (${errno})`;
    throw new StorageError(`The store of ${url} cannot be reached${reason}`, true, { cause: error });
  }
  if (answer.statusCode < 300) return answer;
  // Azure and Google answer so for an object that does not exist; S3 answers 204.
  if (options.method === 'DELETE' && answer.statusCode === 404) return answer;
  const code = storeCodeIn(await readPage(answer));
  const passing = isTransientStoreAnswer(answer.statusCode, code) || isCredentialRefusal(code);
  const shown = code === undefined ? answer.statusCode : `${answer.statusCode} (${code})`;
  const message = `The store answered ${shown} for ${url}`;
  const { statusCode: status } = answer;
  if (!passing && missingStatuses.has(status)) throw new UnusableFile(message, { status });
  throw new StorageError(message, passing);
}

/** The first characters of an error page. S3's own pages are short. */
async function readPage({ body }: Dispatcher.ResponseData): Promise<string> {
  let page = '';
  try {
    for await (const part of body as AsyncIterable<Uint8Array>) {
      page += Buffer.from(part).toString('utf8');
      if (page.length > maxPageChars) break;
    }
  } catch {
    // Without the page, the status is enough.
  }
  return page;
}

export function fileNameOf(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}
