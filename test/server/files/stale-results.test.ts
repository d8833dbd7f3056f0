import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';

const staleHandle = vi.hoisted(() => async (): Promise<never> => {
  throw Object.assign(new Error('ESTALE: stale file handle'), { code: 'ESTALE' });
});

vi.mock('node:fs/promises', async (load) => ({ ...(await load<object>()), lstat: staleHandle, stat: staleHandle }));

// Another test file of this process may have loaded the module with the real `stat`.
vi.resetModules();
const { sweepResults } = await import('../../../server/files/sweep-results.ts');

test('keeps results whose time of change a shared disk does not report', async () => {
  const results = await mkdtemp(join(tmpdir(), 'holdfast-stale-'));
  const name = '10000000-0000-4000-8000-000000000000';
  await mkdir(join(results, name));
  await sweepResults(results, 3_600_000);
  expect(await readdir(results)).toEqual([name]);
  await rm(results, { recursive: true });
});
