import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { terminate } from '../../../engine/ffmpeg/terminate.ts';

const pid = 4_000_000;
let signals: unknown[];

beforeEach(() => {
  vi.useFakeTimers();
  signals = [];
  vi.spyOn(process, 'kill').mockImplementation((group, signal) => {
    expect(group).toBe(-pid);
    signals.push(signal);
    return true;
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function runningChild(): ChildProcess {
  return Object.assign(new EventEmitter(), { pid, exitCode: null, signalCode: null }) as unknown as ChildProcess;
}

test('a process that does not listen to SIGTERM is killed before 5 s have passed, with all that it started', () => {
  terminate(runningChild());
  expect(signals).toEqual(['SIGTERM', 'SIGCONT']);
  vi.advanceTimersByTime(4_999);
  expect(signals).toEqual(['SIGTERM', 'SIGCONT', 'SIGKILL']);
});

test('what outlives a process that ended at SIGTERM is killed at once, and nothing later', () => {
  const child = runningChild();
  terminate(child);
  child.emit('exit', null, 'SIGTERM');
  expect(signals).toEqual(['SIGTERM', 'SIGCONT', 'SIGKILL']);
  vi.advanceTimersByTime(60_000);
  expect(signals).toHaveLength(3);
});

test('a process that has ended is left alone', () => {
  terminate(Object.assign(runningChild(), { exitCode: 0 }));
  expect(signals).toEqual([]);
});
