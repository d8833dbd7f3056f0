import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isInside, pathOfFileUrl } from '../../contract/file-url.ts';
import { isFileRefusal } from '../../contract/file-refusal.ts';
import { StorageError, UnusableFile } from '../store-error.ts';

/** The path of a file to read, with links resolved. It must lie under this process's own MEDIA_ROOT. */
export async function resolveFile(url: string, mediaRoot: string | undefined): Promise<string> {
  const { path, root } = await resolveEntry(url, mediaRoot);
  // The file itself may be a link, or be missing.
  const real = await realpath(path).catch(() => path);
  if (!isInside(root, real)) throw outsideError(path);
  return real;
}

/**
 * The path of a file to write, with the links of its folder resolved. A link with the file's own name is not followed: a
 * rename replaces the link, and the file that it leads to stays.
 */
export async function resolveEntry(
  url: string,
  mediaRoot: string | undefined,
): Promise<{ path: string; root: string }> {
  if (mediaRoot === undefined) {
    throw new StorageError('file: URLs are refused because MEDIA_ROOT is unset in the worker', false);
  }
  const path = pathOfFileUrl(url);
  if (path === undefined) throw new StorageError('A file: URL is not a plain path', false);
  const root = await realpath(mediaRoot).catch((error: unknown) => {
    throw new StorageError('MEDIA_ROOT of the worker cannot be reached', true, { cause: error });
  });
  const folder = await realpath(dirname(path)).catch((error: unknown) => {
    const message = `${basename(path)} is in no folder that this worker can see`;
    throw isFileRefusal(error)
      ? new UnusableFile(message, { cause: error })
      : new StorageError(message, true, { cause: error });
  });
  if (folder !== root && !isInside(root, folder)) throw outsideError(path);
  return { path: join(folder, basename(path)), root };
}

function outsideError(path: string): StorageError {
  return new StorageError(`${basename(path)} is outside the worker's MEDIA_ROOT`, false);
}
