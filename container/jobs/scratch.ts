import { mkdir, mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import type { Logger } from 'pino';
import { errnoOf } from '../../contract/unknown-values.ts';

/** Free space below which even a job of a few minutes fails. */
const minimumFreeBytes = 64 * 1024 ** 2;

const host = hostname().replaceAll(/[^A-Za-z0-9]/g, '');
const ours = new RegExp(`^holdfast-${host}-(\\d+)-`);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
}

export interface JobFolders {
  /** Folder for files that the job makes; ffmpeg may write nowhere else. */
  folder: string;
  /** Folder for fetched files. A fetched file may be a hard link into MEDIA_ROOT. */
  fetchedFolder: string;
}

/** Part of the scratch disk that belongs to this process, with private folders for each job. */
export interface Scratch {
  createFolders(jobId: string): Promise<JobFolders>;
  /** Never rejects; the process removes what is left when it ends. */
  removeFolders(jobId: string): Promise<void>;
  /** Returns why no job could work here now, or undefined. */
  problem(): Promise<string | undefined>;
  /** Undefined if the folder is missing. */
  freeBytes(): Promise<number | undefined>;
  removeAll(): Promise<void>;
}

/** Removes a folder. If that fails, the folder is logged: it decides neither the start nor the outcome of a job. */
async function removeOrWarn(path: string, log: Logger): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 3 }).catch((error: unknown) => {
    log.warn({ folder: basename(path), errno: errnoOf(error) }, 'A scratch folder could not be removed');
  });
}

/**
 * Folder names contain host and process id, so a start sweeps the folders of dead processes and leaves those of living
 * ones. A folder with our own process id is stale too: this process has made none yet. A folder of another user may stay.
 */
async function sweep(scratchDir: string, log: Logger, removeNoted: (folder: string) => Promise<void>): Promise<void> {
  for (const name of await readdir(scratchDir)) {
    const pid = Number(ours.exec(name)?.[1]);
    if (Number.isNaN(pid) || (pid !== process.pid && isAlive(pid))) continue;
    const folder = join(scratchDir, name);
    await removeNoted(folder).catch((error: unknown) => {
      log.warn({ folder: name, errno: errnoOf(error) }, 'Unfinished copies of a former process could not be removed');
    });
    await removeOrWarn(folder, log);
  }
}

/** `removeNoted` removes the files elsewhere that are noted in the folder of a dead process. */
export async function openScratch(
  scratchDir: string,
  log: Logger,
  removeNoted: (folder: string) => Promise<void>,
): Promise<Scratch> {
  await sweep(scratchDir, log, removeNoted);
  const root = await mkdtemp(join(scratchDir, `holdfast-${host}-${process.pid}-`));
  const freeBytes = async (): Promise<number | undefined> => {
    try {
      const { bavail, bsize } = await statfs(scratchDir);
      return bavail * bsize;
    } catch {
      return undefined;
    }
  };
  return {
    async createFolders(jobId) {
      const folders = { folder: join(root, jobId, 'made'), fetchedFolder: join(root, jobId, 'fetched') };
      // Recursive, because somebody may have cleaned the temp folder and our root with it.
      for (const path of Object.values(folders)) await mkdir(path, { recursive: true, mode: 0o700 });
      return folders;
    },
    async removeFolders(jobId) {
      await removeOrWarn(join(root, jobId), log);
    },
    async problem() {
      const free = await freeBytes();
      if (free === undefined) return 'the scratch folder is missing';
      return free < minimumFreeBytes ? 'the scratch disk is full' : undefined;
    },
    freeBytes,
    async removeAll() {
      await removeOrWarn(root, log);
    },
  };
}
