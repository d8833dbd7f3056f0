import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { meterProcess } from '../../../engine/ffmpeg/cpu-time.ts';
import { type UsageMeter, withMeter } from '../../../engine/usage.ts';

/** Seconds: a tick of each of two counters, and the start of the shell, which does not measure itself. */
const tolerance = 0.04;

function newMeter(): UsageMeter {
  return { cpuSeconds: undefined, bytesIn: 0, bytesOut: 0 };
}

type ShellProcess = ChildProcessByStdio<Writable, null, Readable>;

/** A shell that counts, prints the processor time of its loop, and waits for the end of its input. */
function count(to: number): ShellProcess {
  const loop = `TIMEFORMAT='%3U %3S'; time for ((i = 0; i < ${to}; i++)); do :; done; read -r`;
  return spawn('bash', ['-c', loop], { stdio: ['pipe', 'ignore', 'pipe'] });
}

/** Runs the child to its end, which comes after `earlier`; returns the seconds that it printed. */
async function finish(child: ShellProcess, earlier: Promise<unknown> = Promise.resolve()): Promise<number> {
  meterProcess(child);
  void earlier.finally(() => child.stdin.end());
  const [printed] = await Promise.all([text(child.stderr), once(child, 'close')]);
  return printed
    .trim()
    .split(' ')
    .map(Number)
    .reduce((sum, part) => sum + part, 0);
}

test('counts the processor time of a job’s processes as the shell measures it', async () => {
  const meter = newMeter();
  const printed = await withMeter(meter, async () => [await finish(count(300_000)), await finish(count(100_000))]);
  const sum = printed.reduce((total, one) => total + one, 0);
  expect(sum).toBeGreaterThan(0.2);
  expect(meter.cpuSeconds).toBeGreaterThan(sum - tolerance);
  expect(meter.cpuSeconds).toBeLessThan(sum + 2 * tolerance);
});

test('counts processes that run at the same time', async () => {
  const meter = newMeter();
  const printed = await withMeter(meter, () => Promise.all([finish(count(200_000)), finish(count(200_000))]));
  const sum = printed.reduce((total, one) => total + one, 0);
  expect(meter.cpuSeconds).toBeGreaterThan(sum - tolerance);
  expect(meter.cpuSeconds).toBeLessThan(sum + 2 * tolerance);
});

test('leaves out processes that are no part of the job', async () => {
  const meter = newMeter();
  const ended = withMeter(meter, () => finish(count(20_000)));
  const [own, other] = await Promise.all([ended, finish(count(300_000), ended)]);
  expect(other).toBeGreaterThan(own + 4 * tolerance);
  expect(meter.cpuSeconds).toBeLessThan(own + 2 * tolerance);
  const later = newMeter();
  await withMeter(later, () => finish(count(20_000)));
  expect(later.cpuSeconds).toBeLessThan(other - tolerance);
});

test('counts a process that a signal ends', async () => {
  const meter = newMeter();
  const endless = 'while :; do for ((i = 0; i < 300000; i++)); do :; done; times; done';
  await withMeter(meter, async () => {
    const child = spawn('bash', ['-c', endless], { stdio: ['ignore', 'pipe', 'ignore'] });
    meterProcess(child);
    // `times` has just printed how much the shell has used.
    const [printed] = (await once(child.stdout, 'data')) as [Buffer];
    child.kill('SIGKILL');
    await once(child, 'close');
    const used = [...(printed.toString().split('\n')[0] ?? '').matchAll(/0m([\d.]+)s/g)];
    const seconds = used.reduce((sum, [, part]) => sum + Number(part), 0);
    expect(seconds).toBeGreaterThan(0.1);
    expect(meter.cpuSeconds).toBeGreaterThan(seconds - tolerance);
  });
});
