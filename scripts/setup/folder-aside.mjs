import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from './places.mjs';

/** Runs `action` with a temporary folder in the cache, which is removed even if set-up is stopped. */
export async function withFolderAside(prefix, action) {
  mkdirSync(cacheFolder(), { recursive: true });
  const folder = mkdtempSync(join(cacheFolder(), prefix));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    return await action(folder);
  } finally {
    process.off('exit', remove);
    remove();
  }
}
