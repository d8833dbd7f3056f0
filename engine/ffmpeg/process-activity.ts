import { readdir, readFile } from 'node:fs/promises';

/** What a process has used since its start. */
export interface ProcessUse {
  /** read and written, whether a disk was touched or not */
  ioBytes: number;
  cpuSeconds: number;
}

/** What a process and those of its process group have used, by process id. */
export type GroupUse = ReadonlyMap<number, ProcessUse>;

/** Linux tells processor time in hundredths of a second, whatever the kernel counts in (USER_HZ). */
const ticksPerSecond = 100;

/** `/proc/<pid>/stat`: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html. The name in brackets may hold spaces and brackets. */
function parseStat(text: string): { processGroup: number; cpuSeconds: number } {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [processGroup, userTicks, systemTicks] = [2, 11, 12].map((index) => Number(fields[index]));
  return { processGroup: processGroup ?? 0, cpuSeconds: ((userTicks ?? 0) + (systemTicks ?? 0)) / ticksPerSecond };
}

/** `rchar` and `wchar` of `/proc/<pid>/io` count what the page cache answered, too, and what children did that have ended. */
function parseIoBytes(text: string): number {
  return [...text.matchAll(/^[rw]char: (\d+)$/gm)].reduce((sum, [, bytes]) => sum + Number(bytes), 0);
}

async function readUse(pid: number, leaderPid: number): Promise<ProcessUse | undefined> {
  try {
    const { processGroup, cpuSeconds } = parseStat(await readFile(`/proc/${pid}/stat`, 'latin1'));
    if (pid !== leaderPid && processGroup !== leaderPid) return undefined;
    // Unreadable where the process belongs to somebody else; then its processor time has to do.
    const io = await readFile(`/proc/${pid}/io`, 'latin1').catch(() => '');
    return { ioBytes: parseIoBytes(io), cpuSeconds };
  } catch {
    // It has ended since the listing.
    return undefined;
  }
}

/** Looks at all threads of the process and of its process group. Undefined where the system has no /proc, or the process is gone. */
export async function readGroupUse(leaderPid: number): Promise<GroupUse | undefined> {
  const names = await readdir('/proc').catch(() => []);
  const pids = names.map(Number).filter(Number.isInteger);
  const uses = await Promise.all(pids.map(async (pid) => [pid, await readUse(pid, leaderPid)] as const));
  const byPid = new Map(uses.flatMap(([pid, use]) => (use === undefined ? [] : [[pid, use] as const])));
  return byPid.size === 0 ? undefined : byPid;
}

/**
 * More than this on average is work. Less is housekeeping, which a process that hangs may still do: ffmpeg reports its
 * standstill twice a second, a shell waits for its child.
 */
const workingCpuShare = 0.02;
const workingBytesPerSecond = 32 * 1024;

/** Whether a process that was there at both moments has worked in between, as much as one does that works for that many seconds. */
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
