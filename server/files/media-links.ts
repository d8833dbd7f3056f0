import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Stats } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, relative } from 'node:path';
import { isInside, pathOfFileUrl } from '../../contract/file-url.ts';
import { errnoOf } from '../../contract/unknown-values.ts';
import { namesOfOutput } from '../../contract/written-names.ts';
import { ProblemError } from '../problem-error.ts';

/** Long enough to listen to most files. A later request for the run returns new links. */
const lifetimeMs = 60 * 60_000;
/** Links requested within the same round are equal, so browsers can cache the files. */
const roundMs = 15 * 60_000;

export interface LinkedFile {
  url: string;
  expiresAt: string;
  path: string;
  bytes: number;
}

export interface LinkedFolder {
  expiresAt: string;
  /** `path`: relative, such as `v720/main.m3u8` */
  urlOf(path: string): string;
}

/** Short-lived links to files below a folder. A link needs no header, because players send none. */
export class MediaLinks {
  readonly #root: string;
  readonly #key: Buffer;

  /** Without a key, links end with this process. */
  constructor(root: string, key: string | undefined) {
    this.#root = root;
    this.#key = key === undefined ? randomBytes(32) : Buffer.from(key);
  }

  /** Undefined if the URL names no existing file below the folder. */
  async link(fileUrl: string, now = Date.now(), expires = expiryOf(now)): Promise<LinkedFile | undefined> {
    const path = pathOfFileUrl(fileUrl);
    const found = path === undefined ? undefined : await this.#find(path);
    if (found === undefined) return undefined;
    const place = relative(this.#root, found.path);
    const shown = place.split('/').map(encodeURIComponent).join('/');
    return {
      url: `/media/${shown}?expires=${expires}&signature=${this.#sign(place, String(expires))}`,
      expiresAt: new Date(expires * 1000).toISOString(),
      ...found,
    };
  }

  /** Resolves a link to its file. The signature is checked before the disk is read. */
  async open(
    encodedPlace: string,
    { expires, signature }: { expires: string; signature: string },
    now = Date.now(),
  ): Promise<{ path: string; bytes: number }> {
    const place = decodePlace(encodedPlace);
    this.#check(place, expires, signature, now);
    const found = await this.#find(`${this.#root}/${place}`);
    if (found === undefined) throw noLongerThere(place);
    return found;
  }

  /** Links to all files of a folder. Relative references between them work, as in playlists. */
  async linkFolder(folderUrl: string, now = Date.now(), until = expiryOf(now)): Promise<LinkedFolder | undefined> {
    const folder = await this.#folderOf(folderUrl);
    if (folder === undefined) return undefined;
    const expires = String(until);
    const place = relative(this.#root, folder);
    const token = [expires, this.#sign(`${place}/`, expires), Buffer.from(place).toString('base64url')].join('.');
    return {
      expiresAt: new Date(Number(expires) * 1000).toISOString(),
      urlOf: (file) => `/media/in/${token}/${file.split('/').map(encodeURIComponent).join('/')}`,
    };
  }

  /** Resolves a path below the folder of a link. */
  async openInFolder(token: string, encodedPath: string, now = Date.now()): Promise<{ path: string; bytes: number }> {
    const [expires = '', signature = '', encodedPlace = ''] = token.split('.');
    const place = Buffer.from(encodedPlace, 'base64url').toString();
    // The slash keeps a signature for a file from opening a folder.
    this.#check(`${place}/`, expires, signature, now);
    const file = decodePlace(encodedPath);
    // Other runs may have files in the folder.
    if (!namesOfOutput.test(file)) throw noLongerThere(file);
    const found = await this.#findBelow(await this.#findFolder(`${this.#root}/${place}`), file);
    if (found === undefined) throw noLongerThere(file);
    return found;
  }

  async hasFolder(folderUrl: string): Promise<boolean> {
    return (await this.#folderOf(folderUrl)) !== undefined;
  }

  /** Undefined if the folder has no such file. */
  async findInFolder(folderUrl: string, file: string): Promise<{ path: string; bytes: number } | undefined> {
    return await this.#findBelow(await this.#folderOf(folderUrl), file);
  }

  #check(place: string, expires: string, signature: string, now: number): void {
    const wanted = Buffer.from(this.#sign(place, expires));
    const given = Buffer.from(signature);
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) throw noSuchLink();
    if (Number(expires) * 1000 >= now) return;
    throw new ProblemError('link_expired', 'This link has expired. Request the run again to get new links.');
  }

  #sign(place: string, expires: string): string {
    return createHmac('sha256', this.#key).update(`${expires}\n${place}`).digest('base64url');
  }

  async #find(path: string): Promise<{ path: string; bytes: number } | undefined> {
    const found = await this.#look(path);
    return found?.facts.isFile() === true ? { path: found.real, bytes: found.facts.size } : undefined;
  }

  async #findBelow(folder: string | undefined, file: string): Promise<{ path: string; bytes: number } | undefined> {
    const found = folder === undefined ? undefined : await this.#find(`${folder}/${file}`);
    return folder !== undefined && found !== undefined && isInside(folder, found.path) ? found : undefined;
  }

  async #folderOf(folderUrl: string): Promise<string | undefined> {
    const path = pathOfFileUrl(folderUrl);
    return path === undefined ? undefined : await this.#findFolder(path);
  }

  async #findFolder(path: string): Promise<string | undefined> {
    const found = await this.#look(path);
    return found?.facts.isDirectory() === true ? found.real : undefined;
  }

  /** Symbolic links are resolved before the check. */
  async #look(path: string): Promise<{ real: string; facts: Stats } | undefined> {
    try {
      const real = await realpath(path);
      return isInside(this.#root, real) ? { real, facts: await stat(real) } : undefined;
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      return undefined;
    }
  }
}

/** Seconds since 1970 at which links end that are requested now. */
export function expiryOf(now = Date.now()): number {
  return Math.ceil((now + lifetimeMs) / roundMs) * (roundMs / 1000);
}

function noLongerThere(place: string): ProblemError {
  return new ProblemError('not_found', `The file ${JSON.stringify(basename(place))} no longer exists.`);
}

function decodePlace(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw noSuchLink();
  }
}

function noSuchLink(): ProblemError {
  return new ProblemError('not_found', 'This link does not exist. Request the run to get current links to its files.');
}
