import { EventEmitter } from 'node:events';
import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Response } from 'express';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { EndedSessions } from '../../../server/sign-in/ended-sessions.ts';
import { testFolder } from '../../support/folder.ts';

const hourMs = 3_600_000;
let folder: string;

beforeEach(() => void (folder = testFolder()));

afterEach(async () => {
  vi.useRealTimers();
});

class OpenAnswer extends EventEmitter {
  isDestroyed = false;
  readonly req = { socket: { destroyed: false } };

  destroy(): void {
    this.isDestroyed = true;
    this.emit('close');
  }
}

function answer() {
  const open = new OpenAnswer();
  return { open, response: open as unknown as Response };
}

test('ends a session for all servers that share the folder, and forgets expired ones', async () => {
  const [one, other] = [new EndedSessions(folder), new EndedSessions(folder)];
  await writeFile(join(folder, 'old'), '');
  const longAgo = new Date(Date.now() - 25 * hourMs);
  await utimes(join(folder, 'old'), longAgo, longAgo);
  expect(await one.has('a')).toBe(false);
  await one.end('a', Date.now() + hourMs, answer().response);
  for (const sessions of [one, other, new EndedSessions(folder)]) {
    expect(await sessions.has('a')).toBe(true);
    expect(await sessions.has('b')).toBe(false);
  }
  expect(await readdir(folder)).toEqual(['a']);
});

test('keeps ended sessions in memory without a folder', async () => {
  const sessions = new EndedSessions(undefined);
  await sessions.end('a', Date.now() + hourMs, answer().response);
  expect([await sessions.has('a'), await sessions.has('b')]).toEqual([true, false]);
});

test('closes open answers when their session is signed out or expires', async () => {
  vi.useFakeTimers({ now: 0 });
  const sessions = new EndedSessions(undefined);
  const [first, second, last, foreign] = [answer(), answer(), answer(), answer()];
  for (const { response } of [first, second, last]) sessions.watch('a', hourMs, response);
  sessions.watch('b', hourMs, foreign.response);
  second.open.emit('close');
  await sessions.end('a', hourMs, last.response);
  const destroyed = () => [first, second, last, foreign].map(({ open }) => open.isDestroyed);
  expect(destroyed()).toEqual([true, false, false, false]);
  await vi.advanceTimersByTimeAsync(hourMs);
  expect(destroyed()).toEqual([true, false, true, true]);
});

test('closes an answer that starts after its session ended', async () => {
  const sessions = new EndedSessions(undefined);
  await sessions.end('a', Date.now() + hourMs, answer().response);
  const late = answer();
  sessions.watch('a', Date.now() + hourMs, late.response);
  expect(late.open.isDestroyed).toBe(true);
});

test('closes an answer when its session is signed out at another server', async () => {
  vi.useFakeTimers({ now: Date.now() });
  const [one, other] = [new EndedSessions(folder), new EndedSessions(folder)];
  const [ended, foreign] = [answer(), answer()];
  other.watch('a', Date.now() + hourMs, ended.response);
  other.watch('b', Date.now() + hourMs, foreign.response);
  await one.end('a', Date.now() + hourMs, answer().response);
  await vi.advanceTimersByTimeAsync(10_000);
  await vi.waitFor(() => expect(ended.open.isDestroyed).toBe(true));
  expect(foreign.open.isDestroyed).toBe(false);
});

test('forgets an answer whose caller left before it was watched', async () => {
  vi.useFakeTimers({ now: 0 });
  const sessions = new EndedSessions(undefined);
  const left = answer();
  left.open.req.socket.destroyed = true;
  sessions.watch('a', hourMs, left.response);
  await vi.advanceTimersByTimeAsync(10_000);
  await sessions.end('a', hourMs, answer().response);
  expect(left.open.isDestroyed).toBe(false);
});
