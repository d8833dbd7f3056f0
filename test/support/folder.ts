import { mkdtempSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endAfterAll } from './stop-after-all.ts';

/** Makes a folder for the tests of a file or of a `describe`, and removes it after them. */
export function useFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-')));
  endAfterAll(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
