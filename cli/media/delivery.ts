import { randomUUID } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { copyFile, link, mkdir, rename, rm, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CliError } from '../cli-error.ts';

/** Called before anything starts, so that nobody waits an hour for a refusal. */
export function assertAbsent(paths: readonly string[], force: boolean): void {
  const present = force ? [] : paths.filter((path) => existsSync(path));
  if (present.length === 0) return;
  const names = present.map((path) => basename(path)).join(', ');
  const [verb, them] = present.length === 1 ? ['exists', 'it'] : ['exist', 'them'];
  throw new CliError(
    `${names} already ${verb} in ${dirname(present[0] ?? '')}. Use --force to overwrite ${them}, or --out FOLDER to write elsewhere.`,
  );
}

/** Moves a finished file to its place: there is never half a file under the target's name. */
export async function deliver(from: string, to: string, force: boolean): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  if (await place(from, to, force)) return;
  // Another disk: a copy beside the target first, so that the last step is a rename within one disk.
  const aside = join(dirname(to), `.${basename(to)}.${randomUUID()}`);
  try {
    await copyFile(from, aside, constants.COPYFILE_FICLONE);
    await place(aside, to, force);
  } finally {
    await rm(aside, { force: true });
  }
  await rm(from, { force: true });
}

/** False where the two are not on one disk. */
async function place(from: string, to: string, force: boolean): Promise<boolean> {
  try {
    if (force) {
      await rename(from, to);
    } else {
      // Unlike rename, link refuses a target that has appeared in the meantime.
      await link(from, to);
      await unlink(from);
    }
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EXDEV') return false;
    if (code === 'EEXIST') assertAbsent([to], false);
    // Disks without hard links.
    if (!force && (code === 'EPERM' || code === 'ENOTSUP')) return await place(from, to, true);
    throw error;
  }
}
