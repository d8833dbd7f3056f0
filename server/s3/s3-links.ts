import type { Logger } from 'pino';
import { parseS3Url, type S3Object } from '../../contract/s3-url.ts';
import type { Caller } from '../access/caller.ts';
import { contentTypeOfFile, isSafeInline } from '../files/content-type.ts';
import { describeProblem } from '../problem-error.ts';
import { savedName } from '../files/run-files.ts';
import { isPlainKey, isUnder, type S3Prefix } from '../../contract/s3-prefix.ts';
import type { S3Store } from './s3-store.ts';
import type { S3Uploads } from './s3-uploads.ts';

/** As links to files of the server itself: long enough to listen, and the same for a while. */
const lifetimeSeconds = 75 * 60;
const roundMs = 15 * 60_000;

/** After a signature that could not be made. */
const retryMs = 30_000;

export interface S3Link {
  name: string;
  contentType: string;
  url: string;
  expiresAt: string;
}

/** Short-lived URLs of objects, of those prefixes alone that the server is told to sign for. */
export class S3Links {
  readonly #store: S3Store;
  readonly #prefixes: readonly S3Prefix[];
  readonly #uploads: S3Uploads | undefined;
  readonly #log: Logger;
  #origins: Promise<string[]> | undefined;

  constructor(options: { store: S3Store; prefixes: readonly S3Prefix[]; uploads: S3Uploads | undefined; log: Logger }) {
    this.#store = options.store;
    this.#prefixes = options.prefixes;
    this.#uploads = options.uploads;
    this.#log = options.log;
  }

  /** Of what a run has made. Undefined where it is elsewhere, or cannot be signed now: the run is told all the same. */
  async linkOutput(url: string): Promise<S3Link | undefined> {
    const object = this.#find(url);
    return object === undefined ? undefined : await this.#link(object);
  }

  /** A caller with an owner could name any object as a source: it is given its own uploads alone. */
  async linkSource(url: string, caller: Caller): Promise<S3Link | undefined> {
    const object = this.#find(url);
    const isAllowed = caller.owner === undefined || (object !== undefined && this.#uploads?.isOwn(object, caller));
    return object === undefined || isAllowed !== true ? undefined : await this.#link(object);
  }

  /** Undefined where the object is not there. */
  async sizeOf(url: string): Promise<number | undefined> {
    const object = this.#find(url);
    return object === undefined ? undefined : await this.#store.sizeOf(object).catch((error) => this.#warn(error));
  }

  /** Where the links lead, for the page's policy. */
  async origins(): Promise<string[]> {
    this.#origins ??= this.#readOrigins();
    return await this.#origins;
  }

  #find(url: string): S3Object | undefined {
    const object = parseS3Url(url);
    if (object === undefined || !isPlainKey(object.key) || !object.key.isWellFormed()) return undefined;
    return this.#prefixes.some((prefix) => isUnder(prefix, object)) ? object : undefined;
  }

  async #link(object: S3Object, now = Date.now()): Promise<S3Link | undefined> {
    const name = savedName(object.key);
    const contentType = contentTypeOfFile(name);
    const from = new Date(Math.floor(now / roundMs) * roundMs);
    const shown = { contentType, disposition: dispositionOf(name, isSafeInline(contentType)) };
    const lifetime = { from, expiresSeconds: lifetimeSeconds };
    const signed = await this.#store.signGet(object, shown, lifetime).catch((error) => this.#warn(error));
    return signed && { name, contentType, url: signed.url, expiresAt: new Date(signed.expiresAtMs).toISOString() };
  }

  async #readOrigins(): Promise<string[]> {
    const links = await Promise.all(
      this.#prefixes.map(async ({ bucket, key }) => await this.#link({ bucket, key: `${key}-` })),
    );
    // Without credentials nothing leads there. Somebody may mend that, and nobody is to wait for it at each look at the page.
    if (links.includes(undefined)) setTimeout(() => (this.#origins = undefined), retryMs).unref();
    return [...new Set(links.flatMap((link) => (link === undefined ? [] : [new URL(link.url).origin])))];
  }

  #warn(error: unknown): undefined {
    this.#log.warn({ error: describeProblem(error) }, 'Files at the S3 store cannot be linked at the moment');
    return undefined;
  }
}

/** RFC 6266, with a name that old clients understand. */
function dispositionOf(name: string, isInline: boolean): string {
  const plain = name.replaceAll(/[^\w. -]/g, '_');
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  return `${isInline ? 'inline' : 'attachment'}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
