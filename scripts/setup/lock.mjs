import { closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { uptime } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { say } from './step.mjs';

/** Locks of this process. */
const held = new Set();

/** A holder writes its id right after it creates the lock. */
const emptyMs = 5_000;

/** Runs `action` while no other set-up of this machine holds the lock. A lock whose holder died is taken over. */
export async function withLock(path, what, action) {
  mkdirSync(dirname(path), { recursive: true });
  let told = false;
  while (!tryLock(path)) {
    if (isStale(path)) {
      removeStale(path);
      continue;
    }
    const holder = holderOf(path);
    // Work of this process has been announced already.
    if (!told && holder !== process.pid)
      say(`Another set-up${holder === undefined ? '' : ` (process ${holder})`} is at ${what}; waiting for it …`);
    told = true;
    await sleep(200);
  }
  held.add(path);
  const release = () => {
    held.delete(path);
    rmSync(path, { force: true });
  };
  process.once('exit', release);
  try {
    return await action();
  } finally {
    process.off('exit', release);
    release();
  }
}

function tryLock(path) {
  let file;
  try {
    file = openSync(path, 'wx');
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
  try {
    writeSync(file, String(process.pid));
    return true;
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/** True if no living process holds the lock `path`. `file`: the lock, maybe renamed. */
function isStale(path, file = path) {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  // After a restart of the machine, another process may have the id of the holder.
  if (stats.mtimeMs < Date.now() - uptime() * 1_000) return true;
  if (stats.size === 0) return Date.now() - stats.mtimeMs > emptyMs;
  const holder = holderOf(file);
  if (holder === process.pid) return !held.has(path);
  return holder !== undefined && !isAlive(holder);
}

function holderOf(path) {
  try {
    return Number.parseInt(readFileSync(path, 'utf8'), 10) || undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/**
 * Removes by rename: of two processes that find the same dead holder only one succeeds, and neither removes the other's
 * new lock unseen.
 */
function removeStale(path) {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
    if (isStale(path, aside)) rmSync(aside, { force: true });
    else renameSync(aside, path);
  } catch {
    // The other process was faster.
  }
}
