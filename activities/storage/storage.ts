import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { type Dispatcher, request } from 'undici';
import { isS3Url } from './s3-url.ts';
import { type Presigner, RequestUrls } from './presign.ts';
import { resolveFile } from './file-place.ts';
import { StorageError } from './storage-error.ts';

/** A store that is up answers at once. Its bytes may take longer, which the timeout of the whole call limits. */
const answerTimeoutMs = 20_000;
/** No byte for this long, and the connection is dead. */
const idleTimeoutMs = 20_000;
/** The call to the provider has been paid for: its answer is worth a few tries. */
const writePausesMs = [500, 2_000];

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
      if (size > maxBytes) throw new StorageError(`${fileName(url)} is larger than ${maxBytes} bytes`, false);
      parts.push(part);
    }
    return Buffer.concat(parts).toString('utf8');
  }

  async write(url: string, text: string, contentType: string, signal: AbortSignal): Promise<void> {
    const body = Buffer.from(text, 'utf8');
    if (!isS3Url(url)) return this.#writeFile(url, body);
    for (const pauseMs of [...writePausesMs, undefined]) {
      try {
        return await this.#writeS3(url, body, contentType, signal);
      } catch (error) {
        const again = error instanceof StorageError && error.passing && pauseMs !== undefined;
        if (!again || signal.aborted) throw error;
        await pause(pauseMs, undefined, { signal });
      }
    }
  }

  async #readFile(url: string): Promise<Stored> {
    const path = await resolveFile(url, this.#mediaRoot);
    try {
      const facts = await stat(path);
      if (!facts.isFile()) throw new StorageError(`${fileName(url)} is not a file`, false);
      return { size: facts.size, content: createReadStream(path) };
    } catch (error) {
      if (error instanceof StorageError) throw error;
      throw new StorageError(`${fileName(url)} cannot be read`, false, { cause: error });
    }
  }

  async #readS3(url: string, signal: AbortSignal): Promise<Stored> {
    const answer = await this.#request(url, { method: 'GET', headers: { 'accept-encoding': 'identity' } }, signal);
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

  async #writeS3(url: string, body: Buffer, contentType: string, signal: AbortSignal): Promise<void> {
    const headers = {
      'content-type': contentType,
      'content-length': String(body.length),
      'content-md5': createHash('md5').update(body).digest('base64'),
    };
    const answer = await this.#request(url, { method: 'PUT', headers, body }, signal);
    await answer.body.dump();
  }

  async #request(
    url: string,
    options: { method: 'GET' | 'PUT'; headers: Record<string, string>; body?: Buffer },
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    const urls = new RequestUrls(this.#presigner);
    const address = await (options.method === 'GET' ? urls.resolveSource(url) : urls.resolveUpload(url));
    let answer: Dispatcher.ResponseData;
    try {
      const timeouts = { headersTimeout: answerTimeoutMs, bodyTimeout: idleTimeoutMs };
      answer = await request(address, { ...options, ...timeouts, signal });
    } catch (error) {
      if (signal.aborted) throw error;
      throw new StorageError(`The store of ${fileName(url)} cannot be reached`, true, { cause: error });
    }
    if (answer.statusCode === 200) return answer;
    await answer.body.dump();
    const passing = answer.statusCode >= 500 || answer.statusCode === 429;
    throw new StorageError(`The store answered ${answer.statusCode} for ${fileName(url)}`, passing);
  }
}

function fileName(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}
