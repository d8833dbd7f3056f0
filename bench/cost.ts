import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Cost {
  wallSeconds: number;
  cpuSeconds: number;
}

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** CPU seconds of this process and of its ended children. */
export function cpuSeconds(): number {
  return cpuSecondsOf('self');
}

/** CPU seconds of another process (Linux: proc(5), fields 14 to 17 of stat). */
export function cpuSecondsOf(pid: number | 'self'): number {
  return ticksOf(pid).reduce((sum, ticks) => sum + ticks, 0) / ticksPerSecond;
}

/** Ticks of a process: user and system, its own and those of its ended children. */
function ticksOf(pid: number | 'self'): number[] {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /, '')
    .split(' ');
  return fields.slice(11, 15).map(Number);
}

/** CPU seconds of a process without its children. */
export function ownCpuSecondsOf(pid: number | 'self'): number {
  return (
    ticksOf(pid)
      .slice(0, 2)
      .reduce((sum, ticks) => sum + ticks, 0) / ticksPerSecond
  );
}

/** Measures an action, by default of this process and its children. */
export async function cost(action: () => Promise<unknown>, pid: number | 'self' = 'self'): Promise<Cost> {
  const [startMs, startCpu] = [performance.now(), cpuSecondsOf(pid)];
  await action();
  return { wallSeconds: (performance.now() - startMs) / 1000, cpuSeconds: cpuSecondsOf(pid) - startCpu };
}

/** Measures an action that has a folder for its files; `look` sees the files afterwards and is not measured. */
export async function costInFolder(
  action: (folder: string) => Promise<unknown>,
  look?: () => Promise<unknown>,
): Promise<Cost> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
  try {
    const spent = await cost(() => action(folder));
    await look?.();
    return spent;
  } finally {
    await rm(folder, { recursive: true });
  }
}
