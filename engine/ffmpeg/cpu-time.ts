import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { currentMeter, type UsageMeter } from '../usage.ts';
import { ticksPerSecond } from './process-activity.ts';

/** The processes that run, with the meters of their jobs. */
const running = new Map<number, UsageMeter | undefined>();

/** Ticks of ended children that were assigned to a meter, or to none. */
let assigned = 0;

/**
 * Counts the processor time of a process on the meter of the current job when the process ends. The kernel adds the
 * time of an ended child to the total of this process, so the growth of the total is the child's time: exact to a tick,
 * and complete even if a signal ended the child. Each process must be passed here, because an unknown one would count
 * as part of the next.
 *
 * Only one metered job runs at a time (`container/jobs/slots.ts`), so of several children that end at once, the metered
 * ones decide where the growth goes.
 */
export function meterProcess(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  assignGrowth(undefined);
  running.set(pid, currentMeter());
  child.prependOnceListener('exit', () => {
    const meter = running.get(pid);
    running.delete(pid);
    assignGrowth(meter);
  });
}

function assignGrowth(meter: UsageMeter | undefined): void {
  if (meter === undefined && [...running].some(([pid, other]) => other !== undefined && hasEnded(pid))) return;
  const ticks = readChildTicks();
  if (ticks === undefined) return;
  const growth = ticks - assigned;
  assigned = ticks;
  if (meter !== undefined) meter.cpuSeconds = (meter.cpuSeconds ?? 0) + growth / ticksPerSecond;
}

/** Whether Node has collected the process; its listener may still have to be called. */
function hasEnded(pid: number): boolean {
  return !existsSync(`/proc/${pid}`);
}

/** `cutime` and `cstime` of this process; undefined where the system has no /proc. */
function readChildTicks(): number | undefined {
  try {
    const text = readFileSync('/proc/self/stat', 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return Number(fields[13]) + Number(fields[14]);
  } catch {
    return undefined;
  }
}
