import type { ChildProcess } from 'node:child_process';

/** Enough for a program that heeds SIGTERM. A cancelled job's ffmpeg is gone within 5 s (docs/reference/container-api.md, "Endpoints"), so SIGKILL comes before. */
const killAfterMs = 3000;

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    // The guard script made it the leader of its own process group.
    process.kill(-child.pid, signal);
  } catch {
    // No such group: setsid is missing here, or has not run yet; or all of it has ended, and this does nothing.
    child.kill(signal);
  }
}

/** Ends the process and all it started: SIGTERM, then SIGKILL. Its `exit` event tells when it is gone. */
export function terminate(child: ChildProcess): void {
  if (child.exitCode !== null || child.signalCode !== null) return;
  signalGroup(child, 'SIGTERM');
  // A stopped process handles SIGTERM only when it is continued.
  signalGroup(child, 'SIGCONT');
  const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), killAfterMs);
  child.once('exit', () => {
    clearTimeout(timer);
    // Its own children may still run. The number of the group is not given to another while one of them does.
    signalGroup(child, 'SIGKILL');
  });
}
