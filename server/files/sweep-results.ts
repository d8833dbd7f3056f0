import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Names of folders of results, and run ids, which name folders of transcripts. */
const folderName = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Deletes folders of results or transcripts that have not changed for `keptMs`; undefined deletes none. Other folders
 * stay. `readOpenFolders` returns names of folders that open runs use; it is called only if a folder is old.
 */
export async function sweepResults(
  results: string,
  keptMs: number | undefined,
  now = Date.now(),
  readOpenFolders: () => Promise<ReadonlySet<string>> = async () => new Set(),
): Promise<void> {
  if (keptMs === undefined) return;
  const entries = await readdir(results, { withFileTypes: true }).catch(() => []);
  const old: string[] = [];
  const isOld = async (name: string): Promise<boolean> => {
    const changedMs = await lastChangeMs(join(results, name));
    return changedMs !== undefined && now - changedMs >= keptMs;
  };
  for (const entry of entries) {
    if (entry.isDirectory() && folderName.test(entry.name) && (await isOld(entry.name))) old.push(entry.name);
  }
  if (old.length === 0) return;
  const open = await readOpenFolders();
  for (const name of old) {
    // A run may have written its files and ended since.
    if (!open.has(name) && (await isOld(name))) await rm(join(results, name), { recursive: true, force: true });
  }
}

/**
 * Time of the last change in the folder; undefined if it cannot be read, for example on an unreachable network disk.
 */
async function lastChangeMs(folder: string): Promise<number | undefined> {
  let latestMs = 0;
  try {
    const names = await readdir(folder, { recursive: true });
    for (const path of [folder, ...names.map((name) => join(folder, name))]) {
      latestMs = Math.max(latestMs, (await lstat(path)).mtimeMs);
    }
  } catch {
    return undefined;
  }
  return latestMs;
}
