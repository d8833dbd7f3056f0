import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { redactUrlAndFolder } from '../../contract/shown-url.ts';
import { ServiceError } from '../errors.ts';
import { errnoOf } from '../../contract/unknown-values.ts';
import { isRefusal } from './file-url.ts';
import { tryLink } from './hard-link.ts';
import type { UploadFile, UploadOptions } from './upload.ts';
import { targetPath } from './upload-target.ts';

/** To a `file:` URL: a hard link where the disk allows it, else a copy; under its name only when whole. */
export async function uploadToFile(file: UploadFile, url: URL, options: UploadOptions): Promise<void> {
  const path = await targetPath(url, options.mediaRoot);
  const folder = dirname(path);
  // Without the file's own name, which may be as long as a name can be already.
  const partial = join(folder, `.${randomUUID()}.part`);
  try {
    await mkdir(folder, { recursive: true });
    if (!(await tryLink(file.path, partial))) await copyFile(file.path, partial);
    options.signal.throwIfAborted();
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {});
    if (!isRefusal(error)) throw error;
    throw new ServiceError(
      'upload_refused',
      `The file ${redactUrlAndFolder(url.href)} cannot be written (${errnoOf(error)}).`,
      {
        details: { errno: errnoOf(error) },
        cause: error,
      },
    );
  }
  options.onProgress(file.digest.size);
}
