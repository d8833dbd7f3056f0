import { randomUUID } from 'node:crypto';
import { readdir, readlink, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const partialName = /^\.[\da-f-]{36}\.part$/;

/** Path of an unfinished file beside its target. It leaves out the target's name, which may have the greatest length. */
export function partialIn(folder: string): string {
  return join(folder, `.${randomUUID()}.part`);
}

/** Notes a copy in the folder of its original, so that the next start removes it if this process is killed meanwhile. */
export async function notePartial(partial: string, original: string): Promise<void> {
  await symlink(partial, join(dirname(original), basename(partial))).catch(() => {});
}

/** Removes the unfinished copies that are noted below a folder. */
export async function removeNotedPartials(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink() || !partialName.test(entry.name)) continue;
    const partial = await readlink(join(entry.parentPath, entry.name));
    // A link of any other program must not name a file to remove.
    if (basename(partial) === entry.name) await rm(partial, { force: true });
  }
}
