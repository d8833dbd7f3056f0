import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';
import pMap from 'p-map';
import { errnoOf } from '../../contract/unknown-values.ts';
import { CliError } from '../cli-error.ts';
import { describeDiskError } from '../media/disk-error.ts';
import { realFolder } from '../media/same-file.ts';
import { isHidden, mediaPathsOf, subfoldersOf } from '../media/source-list.ts';
import type { FoundFile } from './settled-files.ts';

/** Requests to a network share at once. */
const statsAtOnce = 16;

/** A folder whose media files are watched. */
export interface WatchedFolder {
  /** Real path. */
  path: string;
  isRecursive: boolean;
}

/** Receives the reason why a file or subfolder is left out of a look. */
type Report = (problem: string) => void;

/**
 * Another user's file or folder, such as `lost+found`. Other faults may pass, and must not make known files count as gone.
 */
const leftOut = new Set(['EACCES', 'EPERM']);

/**
 * Lists the folder's media files with size and date. The folder is listed again for each look, because notifications of
 * the system (inotify, FSEvents) do not report what other machines write to a network share.
 */
export async function findFiles({ path, isRecursive }: WatchedFolder, report: Report): Promise<FoundFile[]> {
  const find = async (file: string) => await statFile(file).catch((error: unknown) => leaveOut(error, report));
  try {
    const entries = await readTree(path, isRecursive, report);
    const found = await pMap(mediaPathsOf(entries).sort(), find, { concurrency: statsAtOnce });
    return found.filter((file) => file !== undefined);
  } catch (error) {
    throw new CliError(describeUnreadable(error));
  }
}

async function readTree(folder: string, isRecursive: boolean, report: Report): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  if (!isRecursive) return entries;
  const enter = async (path: string): Promise<Dirent[]> =>
    await readTree(path, true, report).catch((error: unknown) => leaveOut(error, report) ?? []);
  const below = await pMap(subfoldersOf(entries), enter, { concurrency: 1 });
  return [...entries, ...below.flat()];
}

/** Undefined if the file has just been moved or deleted. */
export async function findFile(path: string): Promise<FoundFile | undefined> {
  try {
    return await statFile(path);
  } catch (error) {
    if (isGone(error)) return undefined;
    throw new CliError(describeUnreadable(error));
  }
}

async function statFile(path: string): Promise<FoundFile> {
  const { size, mtimeMs } = await stat(path);
  return { path, size, mtimeMs };
}

/** Throws unless the look continues without the file or subfolder. */
function leaveOut(error: unknown, report: Report): undefined {
  if (isGone(error)) return;
  if (!leftOut.has(errnoOf(error) ?? '')) throw error;
  report(describeUnreadable(error));
}

/** True for a file or folder that has just been moved or deleted. */
function isGone(error: unknown): boolean {
  return errnoOf(error) === 'ENOENT';
}

function describeUnreadable(error: unknown): string {
  return `${(error as NodeJS.ErrnoException).path} cannot be read: ${describeDiskError(error)}.`;
}

/** Throws if files in this folder would be encoded, too. `what` names the folder for the message. */
export function assertNotWatched(watched: WatchedFolder, folder: string, what: string): void {
  const place = relative(watched.path, realFolder(folder));
  const isOutside = place === '..' || place.startsWith(`..${sep}`) || isAbsolute(place);
  const isIgnored = place !== '' && (!watched.isRecursive || isHidden(place));
  if (isOutside || isIgnored) return;
  throw new CliError(
    `${what} ${folder} is in the watched folder ${watched.path}, so its files would be encoded again. Use --out FOLDER to write elsewhere, or a folder whose name begins with a dot.`,
  );
}
