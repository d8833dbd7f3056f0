import { uptime } from 'node:os';
import { errnoOf } from '../contract/unknown-values.ts';

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return errnoOf(error) === 'EPERM';
  }
}

/** True if the process that wrote its id at this time still runs. After a restart of the machine, another may have its id. */
export function isStillAlive({ pid, at }: { pid: number; at: string }): boolean {
  const bootedAtMs = Date.now() - uptime() * 1000;
  return isAlive(pid) && Date.parse(at) >= bootedAtMs;
}
