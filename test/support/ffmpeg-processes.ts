import { readFile, readdir } from 'node:fs/promises';
import { errnoOf } from '../../contract/unknown-values.ts';
import type { TestContainer } from './container.ts';

interface RunningProcess {
  pid: number;
  /** Arguments, each ended by NUL. */
  command: string;
}

/** Processes whose arguments name this folder (Linux). */
export async function processesNaming(folder: string): Promise<RunningProcess[]> {
  const found: RunningProcess[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    // The process may have ended since the listing.
    const command = await readFile(`/proc/${name}/cmdline`, 'latin1').catch(() => '');
    if (command.includes(folder)) found.push({ pid: Number(name), command });
  }
  return found;
}

/** Process ids of ffmpeg and ffprobe with an argument under this folder. */
export async function ffmpegProcessesUnder(folder: string): Promise<number[]> {
  const found = await processesNaming(folder);
  return found.filter(({ command }) => /^\S*(?:ffmpeg|ffprobe)\0/.test(command)).map(({ pid }) => pid);
}

/** Signals the ffmpeg processes under the folder. Returns false if none is left. */
export async function signalFfmpeg(folder: string, name: NodeJS.Signals): Promise<boolean> {
  const pids = await ffmpegProcessesUnder(folder);
  return pids.filter((pid) => signalIfAlive(pid, name)).length > 0;
}

/**
 * Stops the ffmpeg processes of a container's job, and returns their ids. A process may end before the signal, and a job
 * has no ffmpeg between two calls. The function therefore repeats until all processes of the job are stopped.
 */
export async function stopFfmpegOf({ process, scratchDir }: TestContainer): Promise<number[]> {
  return await process.until('stopped ffmpeg of a job', async () => {
    await signalFfmpeg(scratchDir, 'SIGSTOP');
    const found = await ffmpegProcessesUnder(scratchDir);
    return found.length > 0 && (await Promise.all(found.map(isStopped))).every(Boolean) && found;
  });
}

/** Returns false if the process has ended. */
export function signalIfAlive(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    // The process may have ended since the listing.
    if (errnoOf(error) !== 'ESRCH') throw error;
    return false;
  }
}

async function isStopped(pid: number): Promise<boolean> {
  return /\) T /.test(await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => ''));
}
