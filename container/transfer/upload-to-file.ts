import { constants, createReadStream, createWriteStream } from 'node:fs';
import { chmod, chown, copyFile, mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { errnoOf } from '../../contract/unknown-values.ts';
import { fileIdentity } from './remove-stored.ts';
import { removeEmptyFolders } from './empty-folders.ts';
import { tryLink } from './hard-link.ts';
import { notePartial, partialIn } from './partial-copy.ts';
import type { UploadFile, UploadOptions } from './upload-options.ts';
import { cannotWrite, targetPath } from './upload-target.ts';

/** Mode of every stored file, whatever program wrote it in the job's folder. */
const fileMode = 0o666 & ~process.umask();

/** Mode of a folder whose new files get its group. */
const setgidMode = 0o2000;

const copiedAtOnceBytes = 256 * 1024;

/** A file that this job stored. */
export interface StoredFile {
  /** Identifies the file even if its name belongs to another file by now. */
  identity: string;
  /** Whether another file had this name before. */
  hasReplaced: boolean;
}

/** What the tries to store one file have in common: one of them may have given its file the name. */
export interface FileTries {
  identities: Set<string>;
  hasReplaced: boolean;
}

/**
 * Stores a file at a `file:` URL by a hard link if the disk allows it, otherwise by a copy. The file gets its name only
 * when it is complete.
 */
export async function uploadToFile(
  file: UploadFile,
  url: URL,
  options: UploadOptions,
  tries: FileTries,
): Promise<StoredFile> {
  const path = await targetPath(url, options.mediaRoot);
  const folder = dirname(path);
  const partial = partialIn(folder);
  let madeFolder: string | undefined;
  try {
    madeFolder = await mkdir(folder, { recursive: true });
    if (madeFolder !== undefined) options.onFolder?.(madeFolder);
    if (!(await tryLinkWithGroup(file.path, partial, folder))) {
      await notePartial(partial, file.path);
      await copy(file.path, partial, options);
    }
    // Some mounts have no modes to change.
    await chmod(partial, fileMode).catch(() => {});
    const identity = await fileIdentity(partial);
    // `link` would tell this without a race, but programs that watch for moved or closed files would miss the new file.
    const before = await fileIdentity(path).catch((error: unknown) =>
      errnoOf(error) === 'ENOENT' ? identity : undefined,
    );
    tries.identities.add(identity);
    // A try whose rename takes effect and then fails has replaced the file for the next one, too.
    tries.hasReplaced ||= before === undefined || !tries.identities.has(before);
    options.signal.throwIfAborted();
    await rename(partial, path);
    // `rename` keeps both names if they are links to one file, because an earlier attempt failed after its rename.
    await rm(partial, { force: true }).catch(() => {});
    options.onProgress(file.digest.size);
    return { identity, hasReplaced: tries.hasReplaced };
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {});
    if (madeFolder !== undefined) await removeEmptyFolders(madeFolder);
    throw cannotWrite(url, error);
  }
}

/** A link keeps the group that the file has in scratch. Returns false if only a copy can have the group of the folder. */
async function tryLinkWithGroup(path: string, partial: string, folder: string): Promise<boolean> {
  if (!(await tryLink(path, partial))) return false;
  const { mode, gid } = await stat(folder);
  if ((mode & setgidMode) === 0) return true;
  try {
    await chown(partial, -1, gid);
    return true;
  } catch {
    await rm(partial);
    return false;
  }
}

/** Shares the blocks of the file if the disk can. Otherwise copies by streams: `copyFile` cannot be cancelled. */
async function copy(from: string, to: string, { signal, onProgress }: UploadOptions): Promise<void> {
  const isShared = await copyFile(from, to, constants.COPYFILE_FICLONE_FORCE).then(
    () => true,
    () => false,
  );
  if (isShared) return;
  signal.throwIfAborted();
  let bytes = 0;
  await pipeline(
    createReadStream(from, { highWaterMark: copiedAtOnceBytes }),
    async function* (parts: AsyncIterable<Buffer>) {
      for await (const part of parts) {
        bytes += part.length;
        onProgress(bytes);
        yield part;
      }
    },
    createWriteStream(to),
    { signal },
  );
}
