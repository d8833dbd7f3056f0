import { closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { say } from './step.mjs';

/** Runs `action` while no other set-up of this machine holds the lock. A lock whose holder died is taken over. */
export async function withLock(path, what, action) {
  mkdirSync(dirname(path), { recursive: true });
  let told = false;
  while (!tryLock(path)) {
    const holder = holderOf(path);
    if (holder !== undefined && !isAlive(holder)) {
      removeStale(path, holder);
      continue;
    }
    // Work of this process has been announced already.
    if (!told && holder !== process.pid)
      say(`Another set-up${holder === undefined ? '' : ` (process ${holder})`} is at ${what}; waiting for it …`);
    told = true;
    await sleep(200);
  }
  const release = () => rmSync(path, { force: true });
  process.once('exit', release);
  try {
    return await action();
  } finally {
    process.off('exit', release);
    release();
  }
}

function tryLock(path) {
  try {
    const file = openSync(path, 'wx');
    writeSync(file, String(process.pid));
    closeSync(file);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
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
function removeStale(path, deadHolder) {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
    if (holderOf(aside) === deadHolder) rmSync(aside, { force: true });
    else renameSync(aside, path);
  } catch {
    // The other process was faster.
  }
}
