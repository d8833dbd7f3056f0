import { readdir, readFile } from 'node:fs/promises';

/**
 * Resident memory in bytes of all media tools of this process. Shared pages count once per process. 0 without tools,
 * and on systems other than Linux.
 */
export async function residentMemoryBytes(): Promise<number> {
  const threads = await readdir('/proc/self/task').catch(() => []);
  const lists = await Promise.all(threads.map((thread) => read(`/proc/self/task/${thread}/children`)));
  const children = lists.join(' ').match(/\d+/g) ?? [];
  const statuses = await Promise.all(children.map((pid) => read(`/proc/${pid}/status`)));
  return statuses.reduce((sum, status) => sum + Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024, 0);
}

/** Returns an empty text if the process has ended since it was listed. */
async function read(path: string): Promise<string> {
  return await readFile(path, 'utf8').catch(() => '');
}
