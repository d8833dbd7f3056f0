import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isInside, pathOfFileUrl } from '../../contract/file-url.ts';
import { StorageError, UnusableFile } from '../store-error.ts';

/** The path of a `file:` URL with links resolved. Only paths in existing folders under this process's own MEDIA_ROOT are accepted. */
export async function resolveFile(url: string, mediaRoot: string | undefined): Promise<string> {
  if (mediaRoot === undefined) {
    throw new StorageError('file: URLs are refused because MEDIA_ROOT is unset in the worker', false);
  }
  const path = pathOfFileUrl(url);
  if (path === undefined) throw new StorageError('A file: URL is not a plain path', false);
  const [root, folder] = await Promise.all([realpath(mediaRoot), realpath(dirname(path))]).catch((error: unknown) => {
    throw new UnusableFile(`${basename(path)} is in no folder that this worker can see`, { cause: error });
  });
  const place = join(folder, basename(path));
  // The file itself may be a link, or not exist yet.
  const real = await realpath(place).catch(() => place);
  if (folder !== root && !isInside(root, folder)) throw outsideError(path);
  if (!isInside(root, real)) throw outsideError(path);
  return real;
}

function outsideError(path: string): StorageError {
  return new StorageError(`${basename(path)} lies outside the worker's MEDIA_ROOT`, false);
}
