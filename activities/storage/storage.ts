import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { type Dispatcher, request } from 'undici';
import { isCredentialRefusal, isTransientStoreAnswer, storeCodeIn } from '../../contract/store-answer.ts';
import { untrustedReason } from '../../contract/tls-failure.ts';
import { errnoOf } from '../../contract/unknown-values.ts';
import { isS3Url } from '../../contract/s3-url.ts';
import { type Presigner, RequestUrls } from './presign.ts';
import { resolveFile } from './file-place.ts';
import { StorageError, UnusableFile } from './storage-error.ts';

/** A store that is up answers at once. Its bytes may take longer, which the timeout of the whole call limits. */
const answerTimeoutMs = 20_000;
/** No byte for this long, and the connection is dead. */
const idleTimeoutMs = 20_000;
/** The call to the provider has been paid for: its answer is worth some tries, within what the call's activity may take. */
const writePausesMs = [500, 2_000, 5_000, 15_000];

/** Of an error. */
const maxPageChars = 16 * 1024;

/** Where a text will be written. */
export interface WritePlace {
  url: string;
  /** What it is written by. */
  address: string;
  expiresAtMs: number;
}

/** S3 says 403 of a missing file to whom may not list the bucket. */
const missingStatuses = new Set([403, 404]);

export interface Stored {
  /** bytes */
  size: number;
  content: AsyncIterable<Uint8Array>;
}

/** What lies under the prefix of a run: `s3:` by a presigned URL made for each request, `file:` under MEDIA_ROOT. */
export class Storage {
  readonly #presigner: Presigner;
  readonly #mediaRoot: string | undefined;

  constructor(presigner: Presigner, mediaRoot: string | undefined) {
    this.#presigner = presigner;
    this.#mediaRoot = mediaRoot;
  }

  /** Whether this worker can read and write there at all. */
  sees(url: string): boolean {
    return isS3Url(url) || this.#mediaRoot !== undefined;
  }

  async read(url: string, signal: AbortSignal): Promise<Stored> {
    return isS3Url(url) ? this.#readS3(url, signal) : this.#readFile(url);
  }

  /** For what is small enough to be held whole: answers of providers. */
  async readText(url: string, maxBytes: number, signal: AbortSignal): Promise<string> {
    const { content } = await this.read(url, signal);
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const part of content) {
      size += part.length;
      if (size > maxBytes) throw new UnusableFile(`${fileName(url)} is larger than ${maxBytes} bytes`);
      parts.push(part);
    }
    return Buffer.concat(parts).toString('utf8');
  }

  /** Signed now, so that what is paid for meanwhile has its place also where nothing can be signed by then. */
  async placeFor(url: string): Promise<WritePlace> {
    const urls = new RequestUrls(this.#presigner);
    const address = await urls.resolveUpload(url);
    return { url, address, expiresAtMs: urls.expireAtMs ?? Infinity };
  }

  async write(to: string | WritePlace, text: string, contentType: string, signal: AbortSignal): Promise<void> {
    const body = Buffer.from(text, 'utf8');
    let place = typeof to === 'string' ? undefined : to;
    const url = typeof to === 'string' ? to : to.url;
    if (!isS3Url(url)) return this.#writeFile(url, body);
    for (const pauseMs of [...writePausesMs, undefined]) {
      try {
        if (place === undefined || Date.now() >= place.expiresAtMs) place = await this.placeFor(url);
        return await this.#writeS3(url, place.address, body, contentType, signal);
      } catch (error) {
        const again = error instanceof StorageError && error.passing && pauseMs !== undefined;
        if (!again || signal.aborted) throw error;
        await pause(pauseMs, undefined, { signal });
        // The store may not know any more who signed the last one.
        place = await this.placeFor(url).catch(() => place);
      }
    }
  }

  async #readFile(url: string): Promise<Stored> {
    const path = await resolveFile(url, this.#mediaRoot);
    try {
      const facts = await stat(path);
      if (!facts.isFile()) throw new UnusableFile(`${fileName(url)} is not a file`);
      return { size: facts.size, content: createReadStream(path) };
    } catch (error) {
      if (error instanceof StorageError) throw error;
      throw new UnusableFile(`${fileName(url)} cannot be read`, { cause: error });
    }
  }

  async #readS3(url: string, signal: AbortSignal): Promise<Stored> {
    const address = await new RequestUrls(this.#presigner).resolveSource(url);
    const answer = await this.#request(
      url,
      address,
      { method: 'GET', headers: { 'accept-encoding': 'identity' } },
      signal,
    );
    const size = Number(answer.headers['content-length']);
    if (!Number.isSafeInteger(size))
      throw new StorageError(`The store does not say how long ${fileName(url)} is`, true);
    return { size, content: answer.body };
  }

  async #writeFile(url: string, body: Buffer): Promise<void> {
    const path = await resolveFile(url, this.#mediaRoot);
    // Written whole or not at all: the worker that takes over from a lost one may read or write the same file.
    const aside = `${path}.${randomUUID()}`;
    try {
      await writeFile(aside, body);
      await rename(aside, path);
    } catch (error) {
      await rm(aside, { force: true });
      throw new StorageError(`${fileName(url)} cannot be written`, false, { cause: error });
    }
  }

  async #writeS3(url: string, address: string, body: Buffer, contentType: string, signal: AbortSignal): Promise<void> {
    const headers = {
      'content-type': contentType,
      'content-length': String(body.length),
      'content-md5': createHash('md5').update(body).digest('base64'),
    };
    const answer = await this.#request(url, address, { method: 'PUT', headers, body }, signal);
    await answer.body.dump();
  }

  async #request(
    url: string,
    address: string,
    options: { method: 'GET' | 'PUT'; headers: Record<string, string>; body?: Buffer },
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    let answer: Dispatcher.ResponseData;
    try {
      const timeouts = { headersTimeout: answerTimeoutMs, bodyTimeout: idleTimeoutMs };
      answer = await request(address, { ...options, ...timeouts, signal });
    } catch (error) {
      if (signal.aborted) throw error;
      const errno = errnoOf(error);
      const untrusted = untrustedReason(errno);
      if (untrusted !== undefined)
        throw new StorageError(`The store of ${url} cannot be trusted: ${untrusted}`, false, { cause: error });
      const reason = errno === undefined ? '' : ` (${errno})`;
      throw new StorageError(`The store of ${url} cannot be reached${reason}`, true, { cause: error });
    }
    if (answer.statusCode === 200) return answer;
    const code = storeCodeIn(await readPage(answer));
    const passing = isTransientStoreAnswer(answer.statusCode, code) || isCredentialRefusal(code);
    const shown = code === undefined ? answer.statusCode : `${answer.statusCode} (${code})`;
    const message = `The store answered ${shown} for ${url}`;
    if (!passing && missingStatuses.has(answer.statusCode)) throw new UnusableFile(message);
    throw new StorageError(message, passing);
  }
}

/** Its beginning. S3's own pages are short. */
async function readPage({ body }: Dispatcher.ResponseData): Promise<string> {
  let page = '';
  try {
    for await (const part of body as AsyncIterable<Uint8Array>) {
      page += Buffer.from(part).toString('utf8');
      if (page.length > maxPageChars) break;
    }
  } catch {
    // The status is enough.
  }
  return page;
}

function fileName(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}
