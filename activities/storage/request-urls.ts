import { ApplicationFailure } from '@temporalio/common';
import type { RunOfJob } from '../../contract/activity.ts';
import { failureType } from '../../contract/error-codes.ts';
import { messageOf } from '../../contract/unknown-values.ts';
import type { RelaySigner, Stores } from '../../stores/backends.ts';
import { parseObjectUrl } from '../../stores/object-url.ts';
import type { RelayedStore } from '../../stores/store.ts';
import { CredentialsUnavailable, LoginFailed, StorageError } from '../../stores/store-error.ts';
import { finalFailure } from '../final-failure.ts';

/** A healthy store answers at once. */
const checkTimeoutMs = 20_000;

/** The URLs of one request, and the time at which the first signed one expires. */
export class RequestUrls {
  readonly #stores: Stores;
  readonly #run: RunOfJob | undefined;
  #expiresAtMs = Infinity;

  /** `run`: required for URLs of a relay, which end with the run. */
  constructor(stores: Stores, run: RunOfJob | undefined) {
    this.#stores = stores;
    this.#run = run;
  }

  /** URLs of another request of the same run. */
  another(): RequestUrls {
    return new RequestUrls(this.#stores, this.#run);
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
    if (store === undefined || store.kind === 'direct') return url;
    if (store.kind === 'relayed') return await this.#relay(store, url, kind);
    const object = parseObjectUrl(url);
    if (object === undefined) {
      throw ApplicationFailure.nonRetryable(`Not the URL of an object: ${url}`, failureType('invalid_request'));
    }
    const signed = await store.sign(url, { kind }).catch((error: unknown) => {
      const place = `${object.root}…`;
      if (error instanceof CredentialsUnavailable) throw new CredentialsUnavailable(error.cause, place);
      const reason = messageOf(error);
      throw ApplicationFailure.nonRetryable(`Could not presign ${place}: ${reason}`, 'PresignFailed');
    });
    this.#expiresAtMs = Math.min(this.#expiresAtMs, signed.expiresAtMs);
    return signed.url;
  }

  async #relay(store: RelayedStore, url: string, kind: 'get' | 'put' | 'delete'): Promise<string> {
    try {
      const relay = await requireRelay(this.#stores, store, url);
      // A container removes only what it has just stored.
      if (kind !== 'delete') await store.check(url, AbortSignal.timeout(checkTimeoutMs));
      if (this.#run === undefined) throw new TypeError('A relay signs URLs only for a run');
      const signed = relay.sign(url, kind, this.#run);
      this.#expiresAtMs = Math.min(this.#expiresAtMs, signed.expiresAtMs);
      return signed.url;
    } catch (error) {
      if (error instanceof StorageError && !error.passing) throw finalFailure(storeNotUsable, error.message);
      throw error;
    }
  }
}

/** `ApplicationFailure.type` of a run whose store needs other settings of the worker. */
export const storeNotUsable = 'StoreNotUsable';

/** Throws if the worker's settings lack what containers need for a file of the store. */
export async function requireRelay(stores: Stores, store: RelayedStore, url: string): Promise<RelaySigner> {
  const { relay } = stores;
  if (relay === undefined) {
    const scheme = url.slice(0, url.indexOf(':'));
    throw new LoginFailed(`Containers reach ${scheme}:// only through a relay: set RELAY_URL in the worker`);
  }
  await store.requireLogin(url);
  return relay;
}
