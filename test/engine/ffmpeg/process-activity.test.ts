import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { hasWorked, isAsleep, readGroupUse, type GroupUse } from '../../../engine/ffmpeg/process-activity.ts';

describe('the use of a process', () => {
  const use = (pid: number, cpuSeconds: number, ioBytes: number): GroupUse =>
    new Map([[pid, { cpuSeconds, ioBytes, isAsleep: true }]]);
  const before = use(7, 100, 1e9);

  test.each<[string, GroupUse, boolean]>([
    ['used nothing', before, false],
    ['reported its standstill', use(7, 100.01, 1e9 + 1000), false],
    ['computed', use(7, 100.5, 1e9), true],
    ['read or wrote', use(7, 100, 1e9 + 1e6), true],
    ['was not there before', use(8, 200, 2e9), false],
    ['is gone', new Map(), false],
  ])('judges a process that %s', (_what, after, worked) => {
    expect(hasWorked(before, after, 1)).toBe(worked);
  });

  test('a longer limit requires more work', () => {
    const after = use(7, 100.5, 1e9 + 1e6);
    expect([1, 100].map((seconds) => hasWorked(before, after, seconds))).toEqual([true, false]);
  });
});

describe('a real process', () => {
  const running: ChildProcess[] = [];

  afterEach(() => {
    for (const { pid } of running.splice(0)) if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  });

  /** A shell that leads its own process group, as the guard script makes ffmpeg do. */
  function startGroup(script: string): number {
    const child = spawn('sh', ['-c', script], { detached: true, stdio: 'ignore' });
    running.push(child);
    return child.pid ?? 0;
  }

  async function look(pid: number): Promise<GroupUse> {
    const use = await readGroupUse(pid);
    if (use === undefined) throw new Error('the process is gone');
    return use;
  }

  /** True if the process works now, after settling. */
  async function isWorking(pid: number): Promise<boolean> {
    await delay(300);
    const before = await look(pid);
    await delay(1000);
    return hasWorked(before, await look(pid), 1);
  }

  /** A loaded machine may not schedule the process at once. */
  const expectToWork = (pid: number) => expect.poll(() => isWorking(pid)).toBe(true);

  test('a process that computes is working', async () => {
    await expectToWork(startGroup('while :; do :; done'));
  });

  test('a process whose child computes is working', async () => {
    await expectToWork(startGroup('(while :; do :; done) & wait'));
  });

  test('bytes that a process reads and writes are counted', async () => {
    const pid = startGroup('exec dd if=/dev/zero of=/dev/null bs=64k');
    const bytes = async () => (await look(pid)).get(pid)?.ioBytes ?? 0;
    const before = await bytes();
    await expect.poll(async () => (await bytes()) - before).toBeGreaterThan(1e6);
  });

  test.each(['sleep 60', 'while :; do sleep 0.5; done'])(
    'a process that only runs `%s` is not working',
    async (script) => {
      expect(await isWorking(startGroup(script))).toBe(false);
    },
  );

  test('a stopped process is not working until it is continued', async () => {
    const pid = startGroup('while :; do :; done');
    process.kill(-pid, 'SIGSTOP');
    expect(await isWorking(pid)).toBe(false);
    process.kill(-pid, 'SIGCONT');
    await expectToWork(pid);
  });

  const expectAsleep = (pid: number, expected: boolean) =>
    expect.poll(async () => isAsleep(await look(pid))).toBe(expected);

  test('a process that waits for its child is asleep as long as the child is', async () => {
    await expectAsleep(startGroup('sleep 60 & wait'), true);
    await expectAsleep(startGroup('(while :; do :; done) & wait'), false);
  });

  test('a stopped process is asleep, although it would compute', async () => {
    const pid = startGroup('while :; do :; done');
    await expectAsleep(pid, false);
    process.kill(-pid, 'SIGSTOP');
    await expectAsleep(pid, true);
  });

  test('a process with one busy thread is awake', async () => {
    const program = "new (require('node:worker_threads').Worker)('for (;;);', { eval: true })";
    const pid = startGroup(`exec "${process.execPath}" -e "${program}"`);
    await expect.poll(() => isWorking(pid)).toBe(true);
    await expectAsleep(pid, false);
  });

  test('an ended process has no use', async () => {
    const child = spawn('true');
    await once(child, 'exit');
    expect(await readGroupUse(child.pid ?? 0)).toBeUndefined();
  });
});
