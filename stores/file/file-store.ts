import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { DirectStore } from '../store.ts';
import { StorageError, UnusableFile } from '../store-error.ts';
import { resolveEntry, resolveFile } from './file-place.ts';

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
        throw new UnusableFile(`${basename(path)} cannot be read`, { cause: error });
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
        throw new StorageError(`${basename(path)} cannot be written`, false, { cause: error });
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
        throw new StorageError(`${basename(entry.path)} cannot be removed`, false, { cause: error });
      });
    },
  };
}
