import { randomUUID } from 'node:crypto';
import { constants, existsSync, mkdtempSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { copyFile, link, mkdir, open, rename, rm, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { lacksLinks } from '../../contract/file-refusal.ts';
import { errnoOf } from '../../contract/unknown-values.ts';
import { CliError } from '../cli-error.ts';
import { describeDiskError } from './disk-error.ts';

/** Called before a run starts, so that a conflict is not reported an hour later. */
export function assertAbsent(paths: readonly string[]): void {
  const present = paths.filter((path) => existsSync(path));
  if (present.length === 0) return;
  const names = present.map((path) => basename(path)).join(', ');
  const [verb, them] = present.length === 1 ? ['exists', 'it'] : ['exist', 'them'];
  throw new CliError(
    `${names} already ${verb} in ${dirname(present[0] ?? '')}. Use --overwrite to replace ${them}, --skip-existing to keep ${them}, or --out FOLDER to write elsewhere.`,
  );
}

/** Called before a run starts: a rename cannot replace a folder. */
export function assertNoFolders(paths: readonly string[]): void {
  const folder = paths.find((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true);
  if (folder !== undefined)
    throw new CliError(`${folder} is a folder, but an output file has this name. Use --out FOLDER to write elsewhere.`);
}

/**
 * Called before a run starts: checks the nearest existing parent folder. Creates a folder there, because permissions do
 * not show every failure to root, for example in /proc.
 */
export function assertWritable(folder: string): void {
  let existing = folder;
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  if (!statSync(existing).isDirectory()) throw new CliError(`Cannot write to ${folder}: ${existing} is a file.`);
  try {
    rmdirSync(mkdtempSync(join(existing, '.holdfast-')));
  } catch (error) {
    throw new CliError(`Cannot write to ${folder}: ${describeDiskError(error)}. Use --out FOLDER to write elsewhere.`);
  }
}

/** Moves a finished file to its target, which never holds a partial file. */
export async function deliver(from: string, to: string, overwrite: boolean): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  if (await place(from, to, overwrite)) return;
  // On another disk, the file is first copied next to the target, so that the last step is a rename.
  const aside = join(dirname(to), `.${randomUUID()}.part`);
  asides.set(to, aside);
  try {
    await copyFile(from, aside, constants.COPYFILE_FICLONE);
    await place(aside, to, overwrite);
  } finally {
    await rm(aside, { force: true });
    asides.delete(to);
  }
  await rm(from, { force: true });
}

/** Partial copies by their targets. */
const asides = new Map<string, string>();

/** Removes the partial copy of an interrupted delivery. Synchronous, because the process is about to exit. */
export function removeAside(to: string): void {
  const aside = asides.get(to);
  if (aside !== undefined) rmSync(aside, { force: true });
}

/** False if source and target are on different disks. */
async function place(from: string, to: string, overwrite: boolean): Promise<boolean> {
  try {
    await (overwrite ? rename(from, to) : moveToNew(from, to));
    return true;
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'EXDEV') return false;
    if (code === 'EEXIST') assertAbsent([to]);
    throw error;
  }
}

/** Unlike rename, fails if the target was created in the meantime. */
async function moveToNew(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (errnoOf(error) === 'EXDEV' || !lacksLinks(error)) throw error;
    // An empty file reserves the name, and the rename replaces it.
    await (await open(to, 'wx')).close();
    try {
      return await rename(from, to);
    } catch (renameError) {
      await rm(to, { force: true });
      throw renameError;
    }
  }
  await unlink(from);
}
