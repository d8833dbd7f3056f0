import { retry, retryDelaysMs } from '../../process/retry.ts';
import type { Stores } from '../../stores/backends.ts';
import { fileNameOf, readSigned, removeSigned, writeSigned } from '../../stores/signed-http.ts';
import type { Stored } from '../../stores/store.ts';
import { StorageError, UnusableFile } from '../../stores/store-error.ts';
import { RequestUrls } from './request-urls.ts';

/** The URL at which a file will be written, already signed if its store needs signatures. */
export interface WritePlace {
  url: string;
  signedUrl: string;
  expiresAtMs: number;
}

/** Files under the prefix of a run. */
export class Storage {
  readonly #stores: Stores;

  constructor(stores: Stores) {
    this.#stores = stores;
  }

  async read(url: string, signal: AbortSignal): Promise<Stored> {
    const store = await this.#stores.at(url);
    if (store?.kind === 'direct') return await store.read(url);
    if (store?.kind === 'relayed') return await store.read(url, signal);
    const signedUrl = await new RequestUrls(this.#stores, undefined).resolveSource(url);
    return await readSigned({ url, signedUrl }, signal);
  }

  /** Reads a file that fits in memory, such as a provider's answer. */
  async readText(url: string, maxBytes: number, signal: AbortSignal): Promise<string> {
    const { content } = await this.read(url, signal);
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const part of content) {
      size += part.length;
      if (size > maxBytes) throw new UnusableFile(`${fileNameOf(url)} is larger than ${maxBytes} bytes`);
      parts.push(part);
    }
    return Buffer.concat(parts).toString('utf8');
  }

  /** Ignores a file that does not exist. */
  async remove(url: string, signal: AbortSignal): Promise<void> {
    const store = await this.#stores.at(url);
    if (store?.kind === 'direct') return await store.remove(url);
    if (store?.kind === 'relayed') return await store.remove(url, signal);
    const signedUrl = await new RequestUrls(this.#stores, undefined).resolveRemoval(url);
    await removeSigned({ url, signedUrl }, signal);
  }

  /** Signs in advance, so that the answer of a paid call can be stored even if signing fails later. */
  async placeFor(url: string): Promise<WritePlace> {
    const store = await this.#stores.at(url);
    // The worker itself writes with a login, which does not expire.
    if (store?.kind === 'relayed') return { url, signedUrl: url, expiresAtMs: Infinity };
    const urls = new RequestUrls(this.#stores, undefined);
    const signedUrl = await urls.resolveUpload(url);
    return { url, signedUrl, expiresAtMs: urls.signed?.writesExpireAtMs ?? Infinity };
  }

  async write(to: string | WritePlace, text: string, contentType: string, signal: AbortSignal): Promise<void> {
    const body = Buffer.from(text, 'utf8');
    const url = typeof to === 'string' ? to : to.url;
    const store = await this.#stores.at(url);
    let place = typeof to === 'string' ? undefined : to;
    const attempt = async (): Promise<void> => {
      if (store?.kind === 'direct') return await store.write(url, body);
      if (store?.kind === 'relayed') {
        return await store.write(url, { size: body.length, parts: [body], contentType }, signal);
      }
      if (place === undefined || Date.now() >= place.expiresAtMs) place = await this.placeFor(url);
      await writeSigned(place, body, contentType, signal);
    };
    await retry(attempt, {
      delaysMs: retryDelaysMs.paidAnswer,
      mayRetry: (error) => error instanceof StorageError && error.passing && !signal.aborted,
      onRetry: async () => {
        // The store may have revoked the credentials of the last signature.
        place = await this.placeFor(url).catch(() => place);
      },
      signal,
    });
  }
}
