import { chmod } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Acts as a user who may not read these subfolders of a folder; root may read every folder. */
export async function asAnotherUser(folder: string, closed: readonly string[], act: () => unknown): Promise<void> {
  await chmod(dirname(folder), 0o755);
  for (const name of closed) await chmod(join(folder, name), 0);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    await act();
  } finally {
    if (isRoot) process.seteuid?.(0);
    for (const name of closed) await chmod(join(folder, name), 0o755);
  }
}
