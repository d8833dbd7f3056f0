import { readdir, readFile } from 'node:fs/promises';

/** Resources that a process has used since its start. */
export interface ProcessUse {
  /** Bytes read and written, from disk or cache. */
  ioBytes: number;
  cpuSeconds: number;
  /** True if every thread sleeps or is stopped: none computes, waits for a core or waits for a disk. */
  isAsleep: boolean;
}

/** Resources used by each process of a process group, by process id. */
export type GroupUse = ReadonlyMap<number, ProcessUse>;

/** Linux reports processor time in hundredths of a second, whatever the kernel's own tick is (USER_HZ). */
export const ticksPerSecond = 100;

/**
 * Parses `/proc/<pid>/stat` (https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html). The name in brackets may
 * contain spaces and brackets.
 */
function parseStat(text: string): { state: string; processGroup: number; cpuSeconds: number } {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = ''] = fields;
  const [processGroup, userTicks, systemTicks] = [2, 11, 12].map((index) => Number(fields[index]));
  const cpuSeconds = ((userTicks ?? 0) + (systemTicks ?? 0)) / ticksPerSecond;
  return { state, processGroup: processGroup ?? 0, cpuSeconds };
}

/** States of a thread that sleeps, is stopped or has ended. `R` is ready to run, and `D` waits for a disk. */
const restingStates = /^[STtIZX]$/;

/** False if that cannot be read. */
async function areThreadsAsleep(pid: number): Promise<boolean> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const states = await Promise.all(
    threads.map(async (thread) => {
      // A thread that has ended since the listing has worked.
      const text = await readFile(`/proc/${pid}/task/${thread}/stat`, 'latin1').catch(() => '');
      return parseStat(text).state;
    }),
  );
  return states.length > 0 && states.every((state) => restingStates.test(state));
}

/** `rchar` and `wchar` of `/proc/<pid>/io` also count cached reads and finished children. */
function parseIoBytes(text: string): number {
  return [...text.matchAll(/^[rw]char: (\d+)$/gm)].reduce((sum, [, bytes]) => sum + Number(bytes), 0);
}

async function readUse(pid: number, leaderPid: number): Promise<ProcessUse | undefined> {
  try {
    const { processGroup, cpuSeconds } = parseStat(await readFile(`/proc/${pid}/stat`, 'latin1'));
    if (pid !== leaderPid && processGroup !== leaderPid) return undefined;
    // The file is unreadable if the process belongs to another user. Processor time must then suffice.
    const io = await readFile(`/proc/${pid}/io`, 'latin1').catch(() => '');
    return { ioBytes: parseIoBytes(io), cpuSeconds, isAsleep: await areThreadsAsleep(pid) };
  } catch {
    // The process has ended since the listing.
    return undefined;
  }
}

/**
 * Reads all threads of the process and of its process group. Returns undefined if the system has no /proc or the
 * process has ended.
 */
export async function readGroupUse(leaderPid: number): Promise<GroupUse | undefined> {
  const names = await readdir('/proc').catch(() => []);
  const pids = names.map(Number).filter(Number.isInteger);
  const uses = await Promise.all(pids.map(async (pid) => [pid, await readUse(pid, leaderPid)] as const));
  const byPid = new Map(uses.flatMap(([pid, use]) => (use === undefined ? [] : [[pid, use] as const])));
  return byPid.size === 0 ? undefined : byPid;
}

/**
 * A higher average is work. A lower one is housekeeping, which a hung process may still do: ffmpeg reports twice a
 * second that nothing moves, and a shell waits for its child.
 */
const workingCpuShare = 0.02;
const workingBytesPerSecond = 32 * 1024;

/** True if a process that was present both times has worked in between, as a process does that works for `seconds`. */
export function hasWorked(before: GroupUse, after: GroupUse, seconds: number): boolean {
  return [...after].some(([pid, use]) => {
    const earlier = before.get(pid);
    if (earlier === undefined) return false;
    return (
      use.cpuSeconds - earlier.cpuSeconds > workingCpuShare * seconds ||
      use.ioBytes - earlier.ioBytes > workingBytesPerSecond * seconds
    );
  });
}

/** True if every process of the group is asleep. */
export function isAsleep(use: GroupUse): boolean {
  return [...use.values()].every((process) => process.isAsleep);
}
