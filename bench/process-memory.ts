import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { ffmpegProcessesUnder } from '../test/support/ffmpeg-processes.ts';

/** Peak memory in MiB of ffmpeg processes under a folder until `done` settles. */
export async function watchMemory(folder: string, done: Promise<unknown>): Promise<number> {
  const end = done.then(
    () => 'ended',
    () => 'ended',
  );
  let peak = 0;
  for (let state = ''; state !== 'ended'; state = await Promise.race([end, delay(50, '')])) {
    for (const pid of await ffmpegProcessesUnder(folder)) peak = Math.max(peak, peakMebibytes(pid));
  }
  return peak;
}

/** Returns 0 for an ended process. */
export function peakMebibytes(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
