import { ApplicationFailure } from '@temporalio/common';
import { failureType } from '../../contract/error-codes.ts';
import type { Stores } from '../../stores/backends.ts';
import { parseObjectUrl } from '../../stores/object-url.ts';
import { CredentialsUnavailable } from '../../stores/store-error.ts';

/** The URLs of one request, and the time at which the first signed one expires. */
export class RequestUrls {
  readonly #stores: Stores;
  #expiresAtMs = Infinity;

  constructor(stores: Stores) {
    this.#stores = stores;
  }

  /** The URL by which a container reads `url`. */
  resolveSource(url: string): Promise<string> {
    return this.#resolve(url, 'get');
  }

  /** The URL by which a container writes `url`. */
  resolveUpload(url: string): Promise<string> {
    return this.#resolve(url, 'put');
  }

  /** The URL by which a container deletes an object. */
  resolveRemoval(url: string): Promise<string> {
    return this.#resolve(url, 'delete');
  }

  /** Undefined if nothing was signed, or if no signature expires. */
  get expireAtMs(): number | undefined {
    return Number.isFinite(this.#expiresAtMs) ? this.#expiresAtMs : undefined;
  }

  async #resolve(url: string, kind: 'get' | 'put' | 'delete'): Promise<string> {
    const store = await this.#stores.at(url);
    if (store?.kind !== 'signing') return url;
    const object = parseObjectUrl(url);
    if (object === undefined) {
      throw ApplicationFailure.nonRetryable(`Not the URL of an object: ${url}`, failureType('invalid_request'));
    }
    const signed = await store.sign(url, { kind }).catch((error: unknown) => {
      const place = `${object.root}…`;
      if (error instanceof CredentialsUnavailable) throw new CredentialsUnavailable(error.cause, place);
      const reason = error instanceof Error ? error.message : String(error);
      throw ApplicationFailure.nonRetryable(`Could not presign ${place}: ${reason}`, 'PresignFailed');
    });
    this.#expiresAtMs = Math.min(this.#expiresAtMs, signed.expiresAtMs);
    return signed.url;
  }
}
