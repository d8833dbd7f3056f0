import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { request, type Dispatcher } from 'undici';
import { storeCodeIn } from '../../contract/store-answer.ts';
import { redactUrlAndFolder } from '../../contract/shown-url.ts';
import { ServiceError } from '../errors.ts';
import { readPage } from './store-request.ts';
import { downloadHeaders } from './request-headers.ts';
import type { DownloadOptions } from './save-source.ts';

const maxRedirects = 10;

export type SourceAnswer = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers' | 'body'> & { url: URL };

function statusError(url: URL, status: number, storeCode?: string): ServiceError {
  const shown = redactUrlAndFolder(url.href);
  const details = { status, ...(storeCode !== undefined && { storeCode }) };
  if (status === 404 || status === 410) {
    return new ServiceError('source_not_found', `The source ${shown} does not exist (HTTP ${status}).`, { details });
  }
  if (status >= 500 || status === 408 || status === 425 || status === 429) {
    return new ServiceError('source_unavailable', `The source ${shown} is not available now (HTTP ${status}).`, {
      details,
    });
  }
  // The code is not `source_forbidden`, which reports our own guard: for the owner of this URL the source does not
  // exist.
  return new ServiceError('source_not_found', `The source ${shown} cannot be read (HTTP ${status}).`, { details });
}

function checkHttpUrl(url: URL): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new ServiceError('source_forbidden', `The source redirects to ${url.protocol}, which is not allowed.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new ServiceError('source_forbidden', 'A source URL may not carry a user name or password.');
  }
}

/** Drops an answer unread, because it may be endless. Without a listener, undici's error would end the process. */
export function discard(body: Readable): void {
  body.on('error', () => {}).destroy();
}

/** undici reads the bytes of a header as Latin-1. Many servers send an address as UTF-8 without escapes. */
function asUtf8(text: string): string {
  const bytes = Buffer.from(text, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : text;
}

/** A store sends the reason together with the head of its answer. */
const pageTimeoutMs = 1_000;

/** Reads as much of an error page as arrives soon. */
async function readSoon(body: Readable): Promise<string> {
  const timer = setTimeout(() => body.destroy(), pageTimeoutMs);
  return await readPage(body)
    .catch(() => '')
    .finally(() => clearTimeout(timer));
}

/**
 * Sends one GET for a source or a range of it. Follows redirects and checks each URL like the first. Returns answers of
 * 200, and for a range also 206 and 416; throws what any other status means.
 */
export async function requestSource(
  start: URL,
  options: Pick<DownloadOptions, 'dispatcher' | 'headers' | 'signal' | 'onRedirect'>,
  range?: { range: string; 'if-range': string },
): Promise<SourceAnswer> {
  let url = start;
  let headers = options.headers;
  for (let hop = 0; ; hop += 1) {
    checkHttpUrl(url);
    const answer = await request(url, {
      dispatcher: options.dispatcher,
      signal: options.signal,
      headers: { ...downloadHeaders(headers), ...range },
    });
    const { statusCode: status, body } = answer;
    const { location: sent } = answer.headers;
    if (status >= 300 && status < 400 && typeof sent === 'string') {
      const location = asUtf8(sent);
      discard(body);
      if (hop === maxRedirects) {
        throw new ServiceError(
          'source_forbidden',
          `The source ${redactUrlAndFolder(start.href)} redirects more than ${maxRedirects} times.`,
        );
      }
      if (!URL.canParse(location, url.href)) throw statusError(url, status);
      const next = new URL(location, url);
      // The caller's headers belong to their origin, not to the origin of a redirect.
      if (next.origin !== url.origin) headers = undefined;
      url = next;
      options.onRedirect?.(url.href);
      continue;
    }
    const isExpected = status === 200 || (range !== undefined && (status === 206 || status === 416));
    if (!isExpected) {
      const storeCode = status === 400 || status === 403 ? storeCodeIn(await readSoon(body)) : undefined;
      discard(body);
      throw statusError(url, status, storeCode);
    }
    return { statusCode: status, headers: answer.headers, body, url };
  }
}
