import { constants, existsSync, mkdtempSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { copyFile, link, mkdir, rename, rm, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CliError } from '../cli-error.ts';
import { describeDiskError } from './disk-error.ts';

/** Called before anything starts, so that nobody waits an hour for a refusal. */
export function assertAbsent(paths: readonly string[]): void {
  const present = paths.filter((path) => existsSync(path));
  if (present.length === 0) return;
  const names = present.map((path) => basename(path)).join(', ');
  const [verb, them] = present.length === 1 ? ['exists', 'it'] : ['exist', 'them'];
  throw new CliError(
    `${names} already ${verb} in ${dirname(present[0] ?? '')}. Use --overwrite to replace ${them}, --skip-existing to leave ${them}, or --out FOLDER to write elsewhere.`,
  );
}

/** Called before anything starts: a rename would not replace a folder. */
export function assertNoFolders(paths: readonly string[]): void {
  const folder = paths.find((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true);
  if (folder !== undefined)
    throw new CliError(
      `${folder} is a folder, and a file is to be written there. Use --out FOLDER to write elsewhere.`,
    );
}

/**
 * Called before anything starts: finds a folder that cannot be written to, on its way down from the nearest one that exists. Only
 * what makes something there is told all that is in the way: to root, permissions allow everything, in /proc too.
 */
export function assertWritable(folder: string): void {
  let existing = folder;
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  if (!statSync(existing).isDirectory())
    throw new CliError(`Nothing can be written to ${folder}: ${existing} is a file.`);
  try {
    rmdirSync(mkdtempSync(join(existing, '.holdfast-')));
  } catch (error) {
    throw new CliError(
      `Nothing can be written to ${folder}: ${describeDiskError(error)}. Name another folder by --out.`,
    );
  }
}

/** Moves a finished file to its place: there is never half a file under the target's name. */
export async function deliver(from: string, to: string, overwrite: boolean): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  if (await place(from, to, overwrite)) return;
  // Another disk: a copy beside the target first, so that the last step is a rename within one disk.
  const aside = asideOf(to);
  try {
    await copyFile(from, aside, constants.COPYFILE_FICLONE);
    await place(aside, to, overwrite);
  } finally {
    await rm(aside, { force: true });
  }
  await rm(from, { force: true });
}

/** Removes what a delivery that is cut off has left beside the target; for a process that is about to end. */
export function removeAside(to: string): void {
  rmSync(asideOf(to), { force: true });
}

/** One a process, so that two commands do not write into one. */
function asideOf(to: string): string {
  return join(dirname(to), `.${basename(to)}.${process.pid}.part`);
}

/** False where the two are not on one disk. */
async function place(from: string, to: string, overwrite: boolean): Promise<boolean> {
  try {
    if (overwrite) {
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
    if (code === 'EEXIST') assertAbsent([to]);
    // Disks without hard links.
    if (!overwrite && (code === 'EPERM' || code === 'ENOTSUP')) return await place(from, to, true);
    throw error;
  }
}
