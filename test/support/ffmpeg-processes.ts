import { readFile, readdir } from 'node:fs/promises';

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
