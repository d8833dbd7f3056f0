import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { errnoOf } from '../../contract/unknown-values.ts';
import type { DirectStore } from '../store.ts';
import { isFileRefusal } from '../../contract/file-refusal.ts';
import { StorageError, UnusableFile } from '../store-error.ts';
import { resolveEntry, resolveFile } from './file-place.ts';

/** A full disk, or a disk that is unreachable for a while, is no fault of the path. */
function diskError(message: string, cause: unknown): StorageError {
  return new StorageError(message, !isFileRefusal(cause), { cause });
}

/** Files under MEDIA_ROOT. */
export function openFileStore(mediaRoot: string | undefined): DirectStore {
  return {
    kind: 'direct',

    async read(url) {
      const path = await resolveFile(url, mediaRoot);
      try {
        const facts = await stat(path);
        if (!facts.isFile()) throw new UnusableFile(`${basename(path)} is not a file`);
        return { size: facts.size, content: createReadStream(path) };
      } catch (error) {
        if (error instanceof StorageError) throw error;
        const message = `${basename(path)} cannot be read`;
        throw isFileRefusal(error) ? new UnusableFile(message, { cause: error }) : diskError(message, error);
      }
    },

    async write(url, content) {
      const { path } = await resolveEntry(url, mediaRoot);
      // The worker that takes over from a lost one may read or write the same file.
      const aside = `${path}.${randomUUID()}`;
      try {
        await writeFile(aside, content);
        await rename(aside, path);
      } catch (error) {
        await rm(aside, { force: true });
        throw diskError(`${basename(path)} cannot be written (${errnoOf(error)})`, error);
      }
    },

    async remove(url) {
      const entry = await resolveEntry(url, mediaRoot).catch((error: unknown) => {
        // A folder that does not exist has no files.
        if (error instanceof UnusableFile) return undefined;
        throw error;
      });
      if (entry === undefined) return;
      await rm(entry.path, { force: true }).catch((error: unknown) => {
        throw diskError(`${basename(entry.path)} cannot be removed`, error);
      });
    },
  };
}
