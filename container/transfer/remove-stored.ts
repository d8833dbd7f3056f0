import { randomUUID } from 'node:crypto';
import { link, lstat, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errnoOf } from '../../contract/unknown-values.ts';

/** Differs between two files, even if the second got the inode of the first. A new name or mode does not change it. */
export async function fileIdentity(path: string): Promise<string> {
  const { dev, ino, size, mtimeNs } = await lstat(path, { bigint: true });
  return [dev, ino, size, mtimeNs].join(':');
}

/** Removes the file if it is still the one with this identity. */
export async function removeStored(path: string, identity: string): Promise<void> {
  const isOurs = async (at: string): Promise<boolean> => (await fileIdentity(at).catch(() => undefined)) === identity;
  if (!(await isOurs(path))) return;
  // Another file may take the name between the check and the removal, so the removal has a name of its own.
  const aside = join(dirname(path), `.${randomUUID()}.part`);
  await rename(path, aside);
  if (await isOurs(aside)) return await rm(aside);
  try {
    await link(aside, path);
    await rm(aside);
  } catch (error) {
    // A newer file has the name.
    if (errnoOf(error) === 'EEXIST') return await rm(aside);
    await rename(aside, path);
  }
}
