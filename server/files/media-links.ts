import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { basename, relative } from 'node:path';
import { isInside, pathOfFileUrl } from '../../contract/file-url.ts';
import { errnoOf } from '../../contract/unknown-values.ts';
import { ProblemError } from '../problem-error.ts';

/** Long enough to listen through most files. Who comes back later asks for the run again. */
const lifetimeMs = 60 * 60_000;
/** Links that are asked for within it are the same, so that a browser keeps what it has loaded. */
const roundMs = 15 * 60_000;

export interface LinkedFile {
  url: string;
  expiresAt: string;
  path: string;
  bytes: number;
}

/** Short-lived links to files below a folder. A link is all that it takes: players send no header. */
export class MediaLinks {
  readonly #root: string;
  readonly #key: Buffer;

  /** Without a key its links end with this process. */
  constructor(root: string, key: string | undefined) {
    this.#root = root;
    this.#key = key === undefined ? randomBytes(32) : Buffer.from(key);
  }

  /** Undefined where the URL names no file that is there, below the folder. */
  async link(fileUrl: string, now = Date.now()): Promise<LinkedFile | undefined> {
    const path = URL.canParse(fileUrl) ? pathOfFileUrl(new URL(fileUrl)) : undefined;
    const found = path === undefined ? undefined : await this.#find(path);
    if (found === undefined) return undefined;
    const expires = Math.ceil((now + lifetimeMs) / roundMs) * (roundMs / 1000);
    const place = relative(this.#root, found.path);
    const shown = place.split('/').map(encodeURIComponent).join('/');
    return {
      url: `/media/${shown}?expires=${expires}&signature=${this.#sign(place, String(expires))}`,
      expiresAt: new Date(expires * 1000).toISOString(),
      ...found,
    };
  }

  /** The path of the file that a link is for. Nothing of the disk is looked at before its signature is. */
  async open(
    encodedPlace: string,
    { expires, signature }: { expires: string; signature: string },
    now = Date.now(),
  ): Promise<string> {
    const place = decodePlace(encodedPlace);
    const wanted = Buffer.from(this.#sign(place, expires));
    const given = Buffer.from(signature);
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) throw noSuchLink();
    if (Number(expires) * 1000 < now) {
      throw new ProblemError('link_expired', 'This link has expired. Ask for the run again: it comes with new ones.');
    }
    const found = await this.#find(`${this.#root}/${place}`);
    if (found === undefined) {
      throw new ProblemError('not_found', `The file ${JSON.stringify(basename(place))} is no longer there.`);
    }
    return found.path;
  }

  #sign(place: string, expires: string): string {
    return createHmac('sha256', this.#key).update(`${expires}\n${place}`).digest('base64url');
  }

  /** A link of the file system counts by where it leads. */
  async #find(path: string): Promise<{ path: string; bytes: number } | undefined> {
    try {
      const real = await realpath(path);
      if (!isInside(this.#root, real)) return undefined;
      const facts = await stat(real);
      return facts.isFile() ? { path: real, bytes: facts.size } : undefined;
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      return undefined;
    }
  }
}

function decodePlace(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw noSuchLink();
  }
}

function noSuchLink(): ProblemError {
  return new ProblemError('not_found', 'There is no such link. Ask for the run: it comes with those of its files.');
}
