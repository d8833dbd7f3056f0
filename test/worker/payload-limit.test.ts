import { ApplicationFailure } from '@temporalio/common';
import { expect, test } from 'vitest';
import { limitPayloads } from '../../worker/payload-limit.ts';

async function ended(activity: () => Promise<unknown>): Promise<unknown> {
  const limited = limitPayloads('followJob').execute?.({ args: [], headers: {} }, activity);
  return await limited?.catch((error: unknown) => error);
}

test('a result that fits passes unchanged, and so does no result', async () => {
  expect(await ended(async () => ({ chunks: [1] }))).toEqual({ chunks: [1] });
  expect(await ended(async () => undefined)).toBeUndefined();
});

test('the limit counts bytes, not characters', async () => {
  expect(await ended(async () => 'ä'.repeat(999_000))).toHaveLength(999_000);
  expect(await ended(async () => 'ä'.repeat(1_001_000))).toMatchObject({
    type: 'ServerLimitExceeded',
    nonRetryable: true,
    message: 'The result of followJob has 2002002 bytes, and the limit of Temporal is 2000000 bytes.',
  });
});

test('a failure with large details keeps its name, its sentence and whether it is retried', async () => {
  const failure = ApplicationFailure.create({
    type: 'RateLimited',
    message: 'Busy.',
    nonRetryable: true,
    category: 'BENIGN',
    details: ['x'.repeat(5_000_000)],
  });
  expect(
    await ended(async () => {
      throw failure;
    }),
  ).toMatchObject({ type: 'RateLimited', message: 'Busy.', nonRetryable: true, category: 'BENIGN', details: [] });
});

test('a sentence that quotes a whole answer is truncated', async () => {
  const error = await ended(async () => {
    throw ApplicationFailure.retryable('x'.repeat(3_000_000), 'Odd', { ranMs: 3 });
  });
  expect(error).toMatchObject({ type: 'Odd', nonRetryable: false, details: [{ ranMs: 3 }] });
  expect((error as Error).message).toHaveLength(10_000);
});
