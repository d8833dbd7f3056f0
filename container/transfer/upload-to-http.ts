import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { request, type Dispatcher } from 'undici';
import { redactUrlAndFolder } from '../../contract/shown-url.ts';
import { ServiceError } from '../errors.ts';
import { uploadHeaders } from './request-headers.ts';
import { transportFailure } from './transport-failure.ts';
import type { UploadFile, UploadOptions } from './upload.ts';
import { addressForbidden } from './upload-target.ts';

/** S3 answers errors as a short XML page. */
const maxErrorPageBytes = 4096;

async function errorCodeOf(body: Dispatcher.ResponseData['body']): Promise<string | undefined> {
  let page = '';
  try {
    for await (const part of body) {
      page += String(part);
      if (page.length > maxErrorPageBytes) break;
    }
  } catch {
    // The page broke off; the status is enough.
  }
  return /<Code>([A-Za-z0-9.]{1,64})<\/Code>/.exec(page)?.[1];
}

/** S3's words for a body that came too slowly or not whole, under a status that means a bad request elsewhere. */
const transientStoreCodes = new Set(['RequestTimeout', 'IncompleteBody']);

/** A conflict (409) is with another request for the same object, which ends. */
function isWorthRetrying(status: number, storeCode: string | undefined): boolean {
  if (status === 400) return transientStoreCodes.has(storeCode ?? '');
  return status >= 500 || [408, 409, 425, 429].includes(status);
}

/** Reads only as fast as the connection takes it: a listener for the stream's `data` would drain it before a slow connection is open. */
async function* readWithProgress(path: string, onProgress: (bytes: number) => void): AsyncGenerator<Buffer> {
  let sent = 0;
  for await (const part of createReadStream(path)) {
    yield part as Buffer;
    sent += (part as Buffer).length;
    onProgress(sent);
  }
}

/** One PUT. `upload_failed` is worth another try; `upload_refused` is what the store would refuse again. */
export async function uploadToHttp(file: UploadFile, url: URL, options: UploadOptions): Promise<void> {
  const body = Readable.from(readWithProgress(file.path, options.onProgress), { objectMode: false });
  try {
    const response = await request(url, {
      method: 'PUT',
      dispatcher: options.dispatcher,
      signal: options.signal,
      headers: uploadHeaders(file),
      body,
    });
    const { statusCode: status } = response;
    if (status >= 200 && status < 300) {
      await response.body.dump();
      return;
    }
    const storeCode = await errorCodeOf(response.body);
    const details = { status, ...(storeCode === undefined ? {} : { storeCode }) };
    const reason = `HTTP ${status}${storeCode === undefined ? '' : `, ${storeCode}`}`;
    if (isWorthRetrying(status, storeCode)) {
      throw new ServiceError('upload_failed', `The store did not take ${redactUrlAndFolder(url.href)} (${reason}).`, {
        details,
      });
    }
    throw new ServiceError('upload_refused', `The store refused ${redactUrlAndFolder(url.href)} (${reason}).`, {
      details,
    });
  } catch (error) {
    options.signal.throwIfAborted();
    const failure = transportFailure(error);
    if (failure === undefined) throw error;
    switch (failure.kind) {
      case 'address_not_allowed':
        throw addressForbidden(failure.host);
      case 'stalled':
        throw new ServiceError('upload_failed', `The store stopped taking ${redactUrlAndFolder(url.href)}.`, {
          cause: error,
        });
      case 'unreachable':
        throw new ServiceError(
          'upload_failed',
          `The upload to ${redactUrlAndFolder(url.href)} failed: ${failure.reason}.`,
          {
            cause: error,
          },
        );
    }
  } finally {
    body.destroy();
  }
}
