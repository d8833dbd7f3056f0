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

test('a process that ignores SIGTERM is killed within 5 s, together with its children', () => {
  terminate(runningChild());
  expect(signals).toEqual(['SIGTERM', 'SIGCONT']);
  vi.advanceTimersByTime(4_999);
  expect(signals).toEqual(['SIGTERM', 'SIGCONT', 'SIGKILL']);
});

test('children that outlive a process ended by SIGTERM are killed at once, and nothing is killed later', () => {
  const child = runningChild();
  terminate(child);
  child.emit('exit', null, 'SIGTERM');
  expect(signals).toEqual(['SIGTERM', 'SIGCONT', 'SIGKILL']);
  vi.advanceTimersByTime(60_000);
  expect(signals).toHaveLength(3);
});

test('an ended process is left alone', () => {
  terminate(Object.assign(runningChild(), { exitCode: 0 }));
  expect(signals).toEqual([]);
});
