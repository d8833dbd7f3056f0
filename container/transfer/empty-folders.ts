import { readdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Removes a folder, and those in it, as far as nothing is in them. */
export async function removeEmptyFolders(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await removeEmptyFolders(join(folder, entry.name));
  // It holds what somebody else has put there, or is gone.
  await rmdir(folder).catch(() => {});
}
