import { randomUUID } from 'node:crypto';
import { chmod, copyFile, mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { removeEmptyFolders } from './empty-folders.ts';
import { isRefusal } from './file-url.ts';
import { tryLink } from './hard-link.ts';
import type { UploadFile, UploadOptions } from './upload-options.ts';
import { cannotWrite, targetPath } from './upload-target.ts';

/** Of every file that we leave, whatever wrote it in the job's folder. */
const fileMode = 0o666 & ~process.umask();

/** What a file is known again by when its name may be another's. */
export interface StoredFile {
  inode: bigint;
  /** The topmost of the folders that were made for it. */
  madeFolder?: string | undefined;
}

/** To a `file:` URL: a hard link where the disk allows it, else a copy; under its name only when whole. */
export async function uploadToFile(file: UploadFile, url: URL, options: UploadOptions): Promise<StoredFile> {
  const path = await targetPath(url, options.mediaRoot);
  const folder = dirname(path);
  // Without the file's own name, which may be as long as a name can be already.
  const partial = join(folder, `.${randomUUID()}.part`);
  let madeFolder: string | undefined;
  try {
    madeFolder = await mkdir(folder, { recursive: true });
    if (!(await tryLink(file.path, partial))) await copyFile(file.path, partial);
    // Some mounts have no modes to change.
    await chmod(partial, fileMode).catch(() => {});
    const { ino: inode } = await stat(partial, { bigint: true });
    options.signal.throwIfAborted();
    await rename(partial, path);
    options.onProgress(file.digest.size);
    return { inode, madeFolder };
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {});
    if (madeFolder !== undefined) await removeEmptyFolders(madeFolder);
    throw isRefusal(error) ? cannotWrite(url, error) : error;
  }
}
