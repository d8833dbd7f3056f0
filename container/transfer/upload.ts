import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { request, type Dispatcher } from 'undici';
import { redactUrlAndFolder } from '../../contract/shown-url.ts';
import { ServiceError, errnoOf } from '../errors.ts';
import type { Logger } from '../log.ts';
import { isAddressAllowed, type AllowedAddresses } from './address-guard.ts';
import type { Digest } from './digest.ts';
import { isRefusal, locateTarget } from './file-url.ts';
import { tryLink } from './hard-link.ts';
import { transportFailure } from './transport-failure.ts';

/**
 * A lost connection or a 5xx of the store is tried again here, because a failed upload would otherwise cost a whole
 * new encode. Longer outages are the workflow's to wait out. Milliseconds before the second, third and fourth try.
 */
const retryDelaysMs = [500, 2000, 5000];

/** S3 answers errors as a short XML page. */
const maxErrorPageBytes = 4096;

export interface UploadFile {
  path: string;
  uploadUrl: string;
  contentType: string;
  digest: Digest;
}

export interface UploadOptions {
  jobId: string;
  dispatcher: Dispatcher;
  mediaRoot: string | undefined;
  log: Logger;
  signal: AbortSignal;
  onProgress(bytes: number): void;
}

async function targetPath(url: URL, mediaRoot: string | undefined): Promise<string> {
  const located = await locateTarget(url, mediaRoot);
  if (located.kind === 'inside') return located.path;
  const reason = located.kind === 'refused' ? located.reason : 'its folder does not exist';
  throw new ServiceError(
    'upload_forbidden',
    `The upload to ${redactUrlAndFolder(url.href)} is not allowed: ${reason}.`,
  );
}

function addressForbidden(host: string): ServiceError {
  return new ServiceError(
    'upload_forbidden',
    `The upload's host ${host} is an internal address, which is not allowed.`,
  );
}

/** Refuses what can be refused before an hour of encoding; the rest is for the upload itself to find. */
export async function checkUploadUrl(
  uploadUrl: string,
  mediaRoot: string | undefined,
  allowedAddresses: AllowedAddresses,
): Promise<void> {
  const url = new URL(uploadUrl);
  if (url.protocol === 'file:') {
    await targetPath(url, mediaRoot);
    return;
  }
  if (url.username !== '' || url.password !== '') {
    throw new ServiceError('upload_forbidden', 'An upload URL may not carry a user name or password.');
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isAddressAllowed(host, allowedAddresses)) throw addressForbidden(host);
}

async function uploadToFile(file: UploadFile, url: URL, options: UploadOptions): Promise<void> {
  const path = await targetPath(url, options.mediaRoot);
  const folder = dirname(path);
  // Not made of the file's own name, which may be as long as a name can be.
  const partial = join(folder, `.${randomUUID()}.part`);
  try {
    await mkdir(folder, { recursive: true });
    if (!(await tryLink(file.path, partial))) await copyFile(file.path, partial);
    options.signal.throwIfAborted();
    // Visible only when whole.
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {});
    if (!isRefusal(error)) throw error;
    throw new ServiceError(
      'upload_refused',
      `The file ${redactUrlAndFolder(url.href)} cannot be written (${errnoOf(error)}).`,
      {
        details: { errno: errnoOf(error) },
        cause: error,
      },
    );
  }
  options.onProgress(file.digest.size);
}

async function errorCodeOf(body: Dispatcher.ResponseData['body']): Promise<string | undefined> {
  let page = '';
  try {
    for await (const part of body) {
      page += String(part);
      if (page.length > maxErrorPageBytes) break;
    }
  } catch {
    // The status has said what counts; a page that breaks off only lacks the reason.
  }
  return /<Code>([A-Za-z0-9.]{1,64})<\/Code>/.exec(page)?.[1];
}

/** Reads only as the connection asks: a listener for the stream's data would drain it before a slow connection is there. */
async function* counted(path: string, onProgress: (bytes: number) => void): AsyncGenerator<Buffer> {
  let sent = 0;
  for await (const part of createReadStream(path)) {
    yield part as Buffer;
    sent += (part as Buffer).length;
    onProgress(sent);
  }
}

async function put(file: UploadFile, url: URL, options: UploadOptions): Promise<void> {
  const body = Readable.from(counted(file.path, options.onProgress), { objectMode: false });
  try {
    const response = await request(url, {
      method: 'PUT',
      dispatcher: options.dispatcher,
      signal: options.signal,
      headers: {
        // S3 refuses chunked transfer; with the digest a store rejects a cut body instead of keeping half an object.
        'content-length': String(file.digest.size),
        'content-md5': file.digest.md5Base64,
        'content-type': file.contentType,
        'user-agent': 'holdfast',
      },
      body,
    });
    const { statusCode: status } = response;
    if (status >= 200 && status < 300) {
      await response.body.dump();
      return;
    }
    const storeCode = await errorCodeOf(response.body);
    const details = { status, ...(storeCode === undefined ? {} : { storeCode }) };
    const told = `HTTP ${status}${storeCode === undefined ? '' : `, ${storeCode}`}`;
    if (status >= 500 || status === 408 || status === 429) {
      throw new ServiceError('upload_failed', `The store did not take ${redactUrlAndFolder(url.href)} (${told}).`, {
        details,
      });
    }
    throw new ServiceError('upload_refused', `The store refused ${redactUrlAndFolder(url.href)} (${told}).`, {
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

async function putWithRetry(file: UploadFile, url: URL, options: UploadOptions): Promise<void> {
  for (const retryDelayMs of [...retryDelaysMs, undefined]) {
    try {
      return await put(file, url, options);
    } catch (error) {
      const again = error instanceof ServiceError && error.code === 'upload_failed' && retryDelayMs !== undefined;
      if (!again) throw error;
      options.log.warn({ jobId: options.jobId, retryDelayMs, error: error.message }, 'Upload failed; trying again');
      await delay(retryDelayMs, undefined, { signal: options.signal }).catch(() => options.signal.throwIfAborted());
    }
  }
}

/** Stores one finished file where the caller asked for it. */
export async function uploadFile(file: UploadFile, options: UploadOptions): Promise<void> {
  const url = new URL(file.uploadUrl);
  if (url.protocol === 'file:') return uploadToFile(file, url, options);
  return putWithRetry(file, url, options);
}
