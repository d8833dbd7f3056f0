import { readdir, readlink } from 'node:fs/promises';

/** Files of the folder that this process has open. */
export async function openFiles(folder: string): Promise<string[]> {
  const links = await Promise.all(
    (await readdir('/proc/self/fd')).map(async (fd) => await readlink(`/proc/self/fd/${fd}`).catch(() => '')),
  );
  return links.filter((path) => path.startsWith(folder));
}
