import fs, { existsSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { withLock } from '../../../scripts/setup/lock.mjs';
import { testFolder } from '../../support/folder.ts';

const beforeBoot = uptime() + 3_600;

test.each([
  ['of an earlier process with the id of this one', String(process.pid), 0],
  ['of before the last boot, whose holder has the id of a living process', String(process.ppid), beforeBoot],
  ['that has been empty for ten seconds', '', 10],
])('takes over a lock %s', async (_, content, ageSeconds) => {
  const path = join(testFolder(), 'setup.lock');
  writeFileSync(path, content);
  const writtenAt = Date.now() / 1000 - ageSeconds;
  utimesSync(path, writtenAt, writtenAt);
  expect(await withLock(path, 'a tool', async () => Promise.resolve('ran'))).toBe('ran');
  expect(existsSync(path)).toBe(false);
});

test.each([
  ['of a living process', String(process.ppid)],
  ['whose holder is about to write its id', ''],
])('waits for a lock %s', async (_, content) => {
  const path = join(testFolder(), 'setup.lock');
  writeFileSync(path, content);
  let isReleased = false;
  const isLate = withLock(path, 'a tool', async () => Promise.resolve(isReleased));
  await new Promise((resolve) => setTimeout(resolve, 300));
  isReleased = true;
  rmSync(path);
  expect(await isLate).toBe(true);
});

test('two works of one process hold a lock one after the other', async () => {
  const path = join(testFolder(), 'setup.lock');
  const events: string[] = [];
  const work = async (name: string) =>
    await withLock(path, 'a tool', async () => {
      events.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, 50));
      events.push(`${name} ends`);
    });
  await Promise.all([work('a'), work('b')]);
  expect(events).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
});

test('leaves no lock on a full disk', async () => {
  const path = join(testFolder(), 'setup.lock');
  const write = vi.spyOn(fs, 'writeSync').mockImplementationOnce(() => {
    throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  });
  // The named exports of the module follow.
  syncBuiltinESMExports();
  try {
    await expect(withLock(path, 'a tool', async () => Promise.resolve())).rejects.toThrow('ENOSPC');
    expect(write).toHaveBeenCalledOnce();
  } finally {
    write.mockRestore();
    syncBuiltinESMExports();
  }
  expect(existsSync(path)).toBe(false);
});
