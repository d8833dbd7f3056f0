import { mkdtempSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { endAfterAll } from './stop-after-all.ts';

/** Makes a folder for the tests of a file or of a `describe`, and removes it after them. */
export function useFolder(): string {
  const folder = makeFolder();
  endAfterAll(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Makes a folder for one test, and removes it after the test. */
export function testFolder(): string {
  const folder = makeFolder();
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function makeFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-')));
}
