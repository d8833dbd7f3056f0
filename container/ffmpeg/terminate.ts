import type { ChildProcess } from 'node:child_process';

/** Enough for a program that heeds SIGTERM. A cancelled job's ffmpeg is gone within 5 s (docs/contract.md, "Endpoints"), so SIGKILL comes before. */
const killAfterMs = 3000;

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    // The guard script made it the leader of its own process group.
    process.kill(-child.pid, signal);
  } catch {
    // No such group: setsid is missing here, or has not run yet, or all are gone, when this does nothing.
    child.kill(signal);
  }
}

/** Ends the process and all it started: SIGTERM, then SIGKILL. Its `exit` event tells when it is gone. */
export function terminate(child: ChildProcess): void {
  if (child.exitCode !== null || child.signalCode !== null) return;
  signalGroup(child, 'SIGTERM');
  // A stopped process sees SIGTERM only when it goes on.
  signalGroup(child, 'SIGCONT');
  const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), killAfterMs);
  child.once('exit', () => {
    clearTimeout(timer);
    // What it started itself may have outlived it. Nobody else can have the group's number while one of it lives.
    signalGroup(child, 'SIGKILL');
  });
}
