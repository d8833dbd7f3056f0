import type { Readable } from 'node:stream';
import { request, type Dispatcher } from 'undici';
import { isTransientStoreAnswer, storeCodeIn } from '../../contract/store-answer.ts';
import { redactUrlAndFolder } from '../../contract/shown-url.ts';
import { ServiceError } from '../errors.ts';
import { transportFailure } from './transport-failure.ts';
import { addressForbidden } from './upload-target.ts';

interface StoreRequest {
  method: 'PUT' | 'POST';
  headers: Record<string, string>;
  body: AsyncIterable<Uint8Array> | string;
  /** Timeout for an answer that may take longer than the agent's own limit. */
  headersTimeout?: number;
}

export interface StoreAnswer {
  etag: string | undefined;
  /** Beginning of the page. */
  page: string;
}

/**
 * S3 answers errors and completed uploads with a short XML page. Before it, S3 may send white space to keep the
 * connection.
 */
const maxPageBytes = 16 * 1024;

export async function readPage(body: Readable): Promise<string> {
  let page = '';
  for await (const part of body) {
    page = (page + String(part)).trimStart();
    if (page.length > maxPageBytes) break;
  }
  return page;
}

/** Sends one request. A retry may fix `upload_failed`; the store would repeat `upload_refused`. */
export async function requestStore(
  url: URL,
  asked: StoreRequest,
  options: { dispatcher: Dispatcher; signal: AbortSignal },
): Promise<StoreAnswer> {
  const { dispatcher, signal } = options;
  const shown = redactUrlAndFolder(url.href);
  try {
    // undici takes iterables, which its types lack. It asks for the next piece when the connection has taken the last.
    const response = await request(url, { ...asked, body: asked.body as Readable | string, dispatcher, signal });
    const { statusCode: status } = response;
    if (status >= 200 && status < 300) {
      const { etag } = response.headers;
      return { etag: typeof etag === 'string' ? etag : undefined, page: await readPage(response.body) };
    }
    // If the page breaks off, the status is enough.
    const storeCode = storeCodeIn(await readPage(response.body).catch(() => ''));
    const details = { status, ...(storeCode === undefined ? {} : { storeCode }) };
    const reason = `HTTP ${status}${storeCode === undefined ? '' : `, ${storeCode}`}`;
    throw isTransientStoreAnswer(status, storeCode)
      ? new ServiceError('upload_failed', `The store did not accept ${shown} (${reason}).`, { details })
      : new ServiceError('upload_refused', `The store refused ${shown} (${reason}).`, { details });
  } catch (error) {
    signal.throwIfAborted();
    const failure = transportFailure(error);
    if (failure === undefined) throw error;
    switch (failure.kind) {
      case 'address_not_allowed':
        throw addressForbidden(failure.host);
      case 'stalled':
        throw new ServiceError('upload_failed', `The store stopped accepting ${shown}.`, { cause: error });
      case 'untrusted':
        throw new ServiceError('upload_refused', `Nothing was sent to ${shown}: ${failure.reason}.`, { cause: error });
      case 'unreachable':
        throw new ServiceError('upload_failed', `The upload to ${shown} failed: ${failure.reason}.`, {
          cause: error,
          ...(failure.details !== undefined && { details: failure.details }),
        });
    }
  }
}
