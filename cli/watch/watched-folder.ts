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

/**
 * Lists the folder's media files with size and date. The folder is listed again for each look, because notifications of
 * the system (inotify, FSEvents) do not report what other machines write to a network share.
 */
export async function findFiles({ path, isRecursive }: WatchedFolder): Promise<FoundFile[]> {
  const entries = await readTree(path, isRecursive).catch((error: unknown) => {
    throw new CliError(`${path} cannot be read: ${describeDiskError(error)}.`);
  });
  const found = await pMap(mediaPathsOf(entries).sort(), findFile, { concurrency: statsAtOnce });
  return found.filter((file) => file !== undefined);
}

async function readTree(folder: string, isRecursive: boolean): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  if (!isRecursive) return entries;
  const below = await pMap(subfoldersOf(entries), (path) => readTree(path, true), { concurrency: 1 });
  return [...entries, ...below.flat()];
}

/** Undefined if the file has just been moved or deleted. */
export async function findFile(path: string): Promise<FoundFile | undefined> {
  try {
    const { size, mtimeMs } = await stat(path);
    return { path, size, mtimeMs };
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw new CliError(`${path} cannot be read: ${describeDiskError(error)}.`);
  }
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
