import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createLookups } from '../../../container/jobs/lookups.ts';
import { ServiceError } from '../../../container/errors.ts';

const nobody = new AbortController().signal;

test('keeps the turn of a cancelled inspection until its work has ended', async () => {
  const lookups = createLookups();
  const gone = new AbortController();
  let endProcess = (): void => {};
  const ends: string[] = [];
  const deaf = async (): Promise<void> => {
    await new Promise<void>((resolve) => (endProcess = resolve));
    ends.push('deaf');
  };
  const never = (): Promise<void> => new Promise(() => {});
  const ended = lookups.run(({ read }) => read(deaf), gone.signal);
  // This takes the other of the two turns.
  void lookups.run(({ read }) => read(never), nobody);
  const next = lookups.run(({ read }) => read(async () => void ends.push('next')), nobody);
  await setImmediate();
  gone.abort(new Error('gone'));
  await setImmediate();
  expect(ends).toEqual([]);
  endProcess();
  await Promise.all([ended, next]);
  expect(ends).toEqual(['deaf', 'next']);
});

test('removes a waiting inspection when its client disconnects, and gives each the reason of its end', async () => {
  const lookups = createLookups();
  const untilAborted = async (signal: AbortSignal): Promise<void> =>
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const busy = Array.from({ length: 32 }, () => lookups.run(({ signal }) => untilAborted(signal), nobody));
  const gone = new AbortController();
  const waiting = lookups.run(async () => 'never', gone.signal);
  gone.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  lookups.endAll(new ServiceError('draining', 'It shuts down.'));
  for (const { status } of await Promise.allSettled(busy)) expect(status).toBe('rejected');
  await lookups.idle();
  await expect(lookups.run(async () => 'never', nobody)).rejects.toThrow('It shuts down.');
});
