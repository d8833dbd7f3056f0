import { readdir, readFile } from 'node:fs/promises';

/**
 * Bytes of memory that the media tools of this process hold together: resident pages, those that they share counted for each. 0 where
 * none runs. Linux; elsewhere 0.
 */
export async function residentMemoryBytes(): Promise<number> {
  const threads = await readdir('/proc/self/task').catch(() => []);
  const lists = await Promise.all(threads.map((thread) => read(`/proc/self/task/${thread}/children`)));
  const children = lists.join(' ').match(/\d+/g) ?? [];
  const statuses = await Promise.all(children.map((pid) => read(`/proc/${pid}/status`)));
  return statuses.reduce((sum, status) => sum + Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024, 0);
}

/** Nothing of a process that has ended since it was listed. */
async function read(path: string): Promise<string> {
  return await readFile(path, 'utf8').catch(() => '');
}
