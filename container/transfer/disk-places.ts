import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pathOfFileUrl } from '../../contract/file-url.ts';
import type { DiskFaultCode } from './disk-fault.ts';
import { locateTarget } from './file-url.ts';

interface Folder {
  path: string;
  /** Device and inode of the nearest existing folder, and the names of the missing ones below it. */
  key: string;
}

/** Device and inode, links followed; undefined if nothing can be found at the path. */
async function identityAt(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found && `${found.dev}:${found.ino}`;
}

/** Tells whether `file:` URLs below the media root lead to one place. Finds each folder once, so use it briefly. */
export class DiskPlaces {
  readonly #mediaRoot: string | undefined;
  readonly #faultCode: DiskFaultCode | undefined;
  readonly #folders = new Map<string, Promise<Folder | undefined>>();

  constructor(mediaRoot: string | undefined, faultCode?: DiskFaultCode) {
    this.#mediaRoot = mediaRoot;
    this.#faultCode = faultCode;
  }

  /** Equal for all paths of one directory entry, whether or not it exists. Undefined for URLs that the guard refuses. */
  async entryAt(url: string): Promise<string | undefined> {
    const folder = await this.#folderOf(url);
    return folder && `${folder.key}/${nameIn(url)}`;
  }

  /** Equal for all names of one existing file: hard links, symbolic links and bind mounts. */
  async fileAt(url: string): Promise<string | undefined> {
    const folder = await this.#folderOf(url);
    return folder && (await identityAt(join(folder.path, nameIn(url))));
  }

  async #folderOf(url: string): Promise<Folder | undefined> {
    const path = pathOfFileUrl(url);
    if (path === undefined) return undefined;
    const key = dirname(path);
    const found = this.#folders.get(key) ?? this.#findFolder(new URL(url));
    this.#folders.set(key, found);
    return await found;
  }

  async #findFolder(url: URL): Promise<Folder | undefined> {
    const located = await locateTarget(url, this.#mediaRoot, this.#faultCode);
    if (located.kind !== 'inside') return undefined;
    const path = dirname(located.path);
    const missing: string[] = [];
    for (let folder = path; ; folder = dirname(folder)) {
      const identity = await identityAt(folder);
      if (identity !== undefined || folder === dirname(folder)) return { path, key: [identity, ...missing].join('/') };
      missing.unshift(basename(folder));
    }
  }
}

function nameIn(url: string): string {
  return basename(pathOfFileUrl(url) ?? '');
}
