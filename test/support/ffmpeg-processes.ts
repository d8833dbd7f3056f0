import { readFile, readdir } from 'node:fs/promises';
import { errnoOf } from '../../contract/unknown-values.ts';

/** Process ids of ffmpeg and ffprobe with an argument under this folder (Linux). */
export async function ffmpegProcessesUnder(folder: string): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    // The process may have ended since the listing.
    const command = await readFile(`/proc/${name}/cmdline`, 'latin1').catch(() => '');
    if (/^\S*(?:ffmpeg|ffprobe)\0/.test(command) && command.includes(folder)) found.push(Number(name));
  }
  return found;
}

/** Signals these processes. Returns false if none was left. */
export async function signalFfmpeg(folder: string, name: NodeJS.Signals): Promise<boolean> {
  let hasSignalled = false;
  for (const pid of await ffmpegProcessesUnder(folder)) {
    try {
      hasSignalled = process.kill(pid, name);
    } catch (error) {
      // The process may have ended since the listing.
      if (errnoOf(error) !== 'ESRCH') throw error;
    }
  }
  return hasSignalled;
}
