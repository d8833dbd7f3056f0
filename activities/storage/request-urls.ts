import { ApplicationFailure } from '@temporalio/common';
import type { RunOfJob, SignedUrls } from '../../contract/activity.ts';
import { failureType } from '../../contract/error-codes.ts';
import type { PartPlan } from '../../contract/part-plan.ts';
import { messageOf } from '../../contract/unknown-values.ts';
import type { RelaySigner, Stores } from '../../stores/backends.ts';
import { parseObjectUrl } from '../../stores/object-url.ts';
import type { RelayMethod, RelayUpload } from '../../stores/relay/relay-urls.ts';
import type { RelayedStore } from '../../stores/store.ts';
import { CredentialsUnavailable, LoginFailed, StorageError } from '../../stores/store-error.ts';
import { finalFailure } from '../final-failure.ts';
import { type PartedStore, signParts } from './part-urls.ts';

/** A healthy store answers at once. */
const checkTimeoutMs = 20_000;

/** The URLs of one request, and the times at which the first signed ones expire. */
export class RequestUrls {
  readonly #stores: Stores;
  readonly #run: RunOfJob | undefined;
  readonly #expireAtMs = { reads: Infinity, writes: Infinity };
  #links: RequestUrls | undefined;

  /** `run`: required for URLs of a relay, which end with the run. */
  constructor(stores: Stores, run: RunOfJob | undefined) {
    this.#stores = stores;
    this.#run = run;
  }

  /** URLs of another request of the same run. */
  another(): RequestUrls {
    return new RequestUrls(this.#stores, this.#run);
  }

  /** URLs of the files that the request reads beside its source. */
  get links(): RequestUrls {
    this.#links ??= this.another();
    return this.#links;
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

  /** The URLs by which a container writes `url` in parts. */
  async resolveParts(store: PartedStore, url: string, uploadId: string, size: number, plan: PartPlan) {
    if (store.kind === 'signing') return await signParts(store, url, uploadId, plan.parts);
    const relay = await this.#relayOf(store, url, { isChecked: true });
    const upload = (bytes: number) => ({ id: uploadId, bytes });
    const partUrls: string[] = [];
    for (let part = 0; part < plan.parts; part += 1) {
      partUrls.push(this.#signAtRelay(relay, url, 'part', upload(part * plan.partSize)));
    }
    return {
      partUrls,
      completeUrl: this.#signAtRelay(relay, url, 'complete', upload(size)),
      abortUrl: this.#signAtRelay(relay, url, 'abort', upload(0)),
    };
  }

  /** Undefined if nothing was signed, or if no signature expires. */
  get signed(): SignedUrls | undefined {
    const { reads, writes } = this.#expireAtMs;
    const links = this.#links?.signed?.readsExpireAtMs;
    if (Math.min(reads, writes, links ?? Infinity) === Infinity) return undefined;
    return {
      ...(Number.isFinite(reads) && { readsExpireAtMs: reads }),
      ...(links !== undefined && { linksExpireAtMs: links }),
      ...(Number.isFinite(writes) && { writesExpireAtMs: writes }),
    };
  }

  #note(kind: RelayMethod, expiresAtMs: number): void {
    const use = kind === 'get' ? 'reads' : 'writes';
    this.#expireAtMs[use] = Math.min(this.#expireAtMs[use], expiresAtMs);
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
    this.#note(kind, signed.expiresAtMs);
    return signed.url;
  }

  async #relay(store: RelayedStore, url: string, kind: 'get' | 'put' | 'delete'): Promise<string> {
    // A container removes only what it has just stored.
    const relay = await this.#relayOf(store, url, { isChecked: kind !== 'delete' });
    return this.#signAtRelay(relay, url, kind);
  }

  /** Throws if containers cannot reach the store by the worker's settings. `isChecked`: the worker also logs in. */
  async #relayOf(store: RelayedStore, url: string, { isChecked }: { isChecked: boolean }): Promise<RelaySigner> {
    try {
      const relay = await requireRelay(this.#stores, store, url);
      if (isChecked) await store.check(url, AbortSignal.timeout(checkTimeoutMs));
      return relay;
    } catch (error) {
      if (error instanceof StorageError && !error.passing) throw finalFailure(storeNotUsable, error.message);
      throw error;
    }
  }

  #signAtRelay(relay: RelaySigner, url: string, method: RelayMethod, upload?: RelayUpload): string {
    if (this.#run === undefined) throw new TypeError('A relay signs URLs only for a run');
    const signed = relay.sign(url, method, this.#run, upload);
    this.#note(method, signed.expiresAtMs);
    return signed.url;
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
