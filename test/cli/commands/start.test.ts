import { readFile } from 'node:fs/promises';
import { request } from 'undici';
import { expect } from 'vitest';
import { run } from '../../support/process.ts';
import { testInSandbox } from '../command-sandbox.ts';

async function childrenOf(pid: number | undefined): Promise<number[]> {
  const { output } = await run('pgrep', ['-P', `${pid}`]);
  return output.trim().split('\n').map(Number);
}

/** Refuses a missing pid, because -1 and 0 would kill groups of processes. */
function killProcess(pid: number | undefined): void {
  if (pid === undefined || !(pid > 1)) throw new Error(`no process to kill: ${pid}`);
  process.kill(pid, 'SIGKILL');
}

testInSandbox('nothing keeps running after the command is killed with SIGKILL', async ({ sandbox }) => {
  const start = await sandbox.start();
  const [setupPid] = await childrenOf(start.pid);
  const [cliPid] = await childrenOf(setupPid);
  killProcess(cliPid);
  await start.exited;
  await expect.poll(async () => [await sandbox.isTemporalUp(), await sandbox.isContainerUp()]).toEqual([false, false]);
});

testInSandbox('a part that dies starts again, and the command names the part', async ({ sandbox }) => {
  const start = await sandbox.start();
  const isHealthy = async (): Promise<boolean> =>
    await request(`http://127.0.0.1:${sandbox.ports.container}/health`).then(
      ({ statusCode }) => statusCode === 200,
      () => false,
    );
  expect(await isHealthy()).toBe(true);
  const server = `http://127.0.0.1:${sandbox.ports.server}`;
  expect(start.output).toContain(server);
  const runs = await request(`${server}/api/runs`);
  expect([runs.statusCode, await runs.body.json()]).toEqual([200, { runs: [], total: 0 }]);
  const [setupPid] = await childrenOf(start.pid);
  const [cliPid] = await childrenOf(setupPid);
  const parts = await childrenOf(cliPid);
  const commands = await Promise.all(parts.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8')));
  killProcess(parts.find((_, index) => commands[index]?.includes('container/main.ts')));
  await start.until('notice', () => start.output.includes('The container ended by SIGKILL. It starts again in 1 s.'));
  await expect.poll(isHealthy).toBe(true);
  await start.stop('SIGTERM');
  expect(await sandbox.hasEnded()).toBe(true);
});
