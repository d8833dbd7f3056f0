import type { ChildProcess } from 'node:child_process';

/**
 * Long enough for a program that handles SIGTERM. A cancelled job's ffmpeg must be gone within 5 s (docs/reference/container-api.md,
 * "Endpoints"), so SIGKILL follows earlier.
 */
const killAfterMs = 3000;

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    // The guard script made the child the leader of its own process group.
    process.kill(-child.pid, signal);
  } catch {
    // There is no such group: setsid is missing or has not run yet, or the whole group has ended and this does nothing.
    child.kill(signal);
  }
}

/** Ends the process and its children: SIGTERM first, then SIGKILL. The `exit` event reports the end. */
export function terminate(child: ChildProcess): void {
  if (child.exitCode !== null || child.signalCode !== null) return;
  signalGroup(child, 'SIGTERM');
  // A stopped process handles SIGTERM only after it is continued.
  signalGroup(child, 'SIGCONT');
  const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), killAfterMs);
  child.once('exit', () => {
    clearTimeout(timer);
    // Its children may still run. While one of them does, the group's number is not reused.
    signalGroup(child, 'SIGKILL');
  });
}
