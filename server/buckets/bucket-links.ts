import type { Logger } from 'pino';
import type { Stores } from '../../stores/backends.ts';
import { isUnder, parseObjectUrl } from '../../stores/object-url.ts';
import { isPlainKey } from '../../stores/plain-key.ts';
import { readSigned } from '../../stores/signed-http.ts';
import type { Stored } from '../../stores/store.ts';
import type { Caller } from '../access/caller.ts';
import { contentTypeOfFile, isSafeInline } from '../files/content-type.ts';
import { savedName } from '../files/upload-name.ts';
import { describeProblem } from '../problem-error.ts';
import { askStore } from './ask-store.ts';
import type { BucketUploads } from './bucket-uploads.ts';

/** Long enough to listen to most files, as with links to the server's own files. */
const lifetimeSeconds = 75 * 60;
/** Links requested within the same round are equal, so browsers can cache the files. */
const roundMs = 15 * 60_000;

/** The caller waits for the run, which is shown without links after this time. */
const timeoutMs = 3_000;

/** Time before the next try after a signature failed. */
const retryMs = 30_000;

export interface BucketLink {
  name: string;
  contentType: string;
  url: string;
  expiresAt: string;
}

interface BucketLinksOptions {
  stores: Stores;
  prefixes: readonly string[];
  uploads: BucketUploads | undefined;
  log: Logger;
}

/** Short-lived URLs of objects. Only objects under the configured prefixes are signed. */
export class BucketLinks {
  readonly #options: BucketLinksOptions;
  #origins: Promise<string[]> | undefined;

  constructor(options: BucketLinksOptions) {
    this.#options = options;
  }

  /**
   * Undefined if the output is elsewhere or cannot be signed now; the run is still shown. `until`: seconds since 1970
   * that the link does not outlive.
   */
  async linkOutput(url: string, until?: number): Promise<BucketLink | undefined> {
    return this.mayLink(url) ? await this.#link(url, until) : undefined;
  }

  /** A caller with an owner could name any object as a source, so it gets links only to its own uploads. */
  async linkSource(url: string, caller: Pick<Caller, 'owner'>): Promise<BucketLink | undefined> {
    const isAllowed = caller.owner === undefined || this.#options.uploads?.isOwn(url, caller) === true;
    return isAllowed && this.mayLink(url) ? await this.#link(url) : undefined;
  }

  /** Undefined if the object does not exist. */
  async sizeOf(url: string): Promise<number | undefined> {
    if (!this.mayLink(url)) return undefined;
    const size = askStore(this.#options.stores, url, (store, signal) => store.sizeOf(url, signal), timeoutMs);
    return await size.catch((error) => this.#warn(error));
  }

  /** Reads an object. Throws `store_unavailable` or a StorageError. */
  async read(url: string, signal: AbortSignal): Promise<Stored> {
    if (!this.mayLink(url)) throw new Error(`${url} is under no prefix of S3_LINK_PREFIXES`);
    const { stores } = this.#options;
    const { url: signedUrl } = await askStore(stores, url, (store) => store.sign(url, { kind: 'get' }));
    return await readSigned({ url, signedUrl }, signal);
  }

  /** Origins of the links, for the page's Content-Security-Policy. */
  async origins(): Promise<string[]> {
    this.#origins ??= this.#readOrigins();
    return await this.#origins;
  }

  /** Whether the object is under a configured prefix. */
  mayLink(url: string): boolean {
    const key = parseObjectUrl(url)?.key;
    if (key === undefined || !isPlainKey(key) || !key.isWellFormed()) return false;
    return this.#options.prefixes.some((prefix) => isUnder(prefix, url));
  }

  async #link(url: string, until = Infinity, now = Date.now()): Promise<BucketLink | undefined> {
    const name = savedName(url);
    const contentType = contentTypeOfFile(name);
    const shown = { contentType, disposition: dispositionOf(name, isSafeInline(contentType)) };
    const fromMs = Math.floor(now / roundMs) * roundMs;
    const expiresSeconds = Math.floor(Math.min(lifetimeSeconds, until - fromMs / 1000));
    const lifetime = { from: new Date(fromMs), expiresSeconds };
    const signed = await askStore(
      this.#options.stores,
      url,
      (store) => store.sign(url, { kind: 'get', shown }, lifetime),
      timeoutMs,
    ).catch((error) => this.#warn(error));
    return signed && { name, contentType, url: signed.url, expiresAt: new Date(signed.expiresAtMs).toISOString() };
  }

  async #readOrigins(): Promise<string[]> {
    const links = await Promise.all(this.#options.prefixes.map(async (prefix) => await this.#link(`${prefix}-`)));
    // Without credentials there are no links. Until an operator repairs them, no view of the page waits for the store.
    if (links.includes(undefined)) setTimeout(() => (this.#origins = undefined), retryMs).unref();
    return [...new Set(links.flatMap((link) => (link === undefined ? [] : [new URL(link.url).origin])))];
  }

  #warn(error: unknown): undefined {
    this.#options.log.warn({ error: describeProblem(error) }, 'Files at the store cannot be linked at the moment');
    return undefined;
  }
}

/** RFC 6266, with a plain name for old clients. */
function dispositionOf(name: string, isInline: boolean): string {
  const plain = name.replaceAll(/[^\w. -]/g, '_');
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  return `${isInline ? 'inline' : 'attachment'}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
