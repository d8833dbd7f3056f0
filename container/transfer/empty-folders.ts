import { readdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Removes a folder and its subfolders if they hold no files. */
export async function removeEmptyFolders(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await removeEmptyFolders(join(folder, entry.name));
  // The folder is gone or holds files of others.
  await rmdir(folder).catch(() => {});
}
