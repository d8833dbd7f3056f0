import { realpath } from 'node:fs/promises';
import { dirname, join, basename, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StorageError } from './storage-error.ts';

/** Where a `file:` URL really is, links resolved: only under this worker's own MEDIA_ROOT, and only in a folder that is there. */
export async function filePlace(url: string, mediaRoot: string | undefined): Promise<string> {
  if (mediaRoot === undefined) {
    throw new StorageError('file: URLs are refused because MEDIA_ROOT is unset in the worker', false);
  }
  const path = plainPath(url);
  const [root, folder] = await Promise.all([realpath(mediaRoot), realpath(dirname(path))]).catch((error: unknown) => {
    throw new StorageError(`${basename(path)} is in no folder that this worker can see`, false, { cause: error });
  });
  const place = join(folder, basename(path));
  // The file itself may be a link; one that does not exist yet is none.
  const real = await realpath(place).catch(() => place);
  if (folder !== root && !folder.startsWith(root + sep)) throw outside(path);
  if (!real.startsWith(root + sep)) throw outside(path);
  return real;
}

function plainPath(url: string): string {
  try {
    const path = fileURLToPath(url);
    if (!path.includes('\0')) return path;
  } catch {
    // A host or %2F: spellings that we have no use for.
  }
  throw new StorageError('A file: URL is not a plain path', false);
}

function outside(path: string): StorageError {
  return new StorageError(`${basename(path)} lies outside the worker's MEDIA_ROOT`, false);
}
