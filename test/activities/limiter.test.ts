import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { sendToLimiterActivity } from '../../activities/limiter.ts';
import { holder, wideLimits } from '../support/simulated-limiter.ts';

const message = { from: holder('a'), settings: { limits: wideLimits({ maxConcurrent: 2 }) }, requests: ['a1'] };

/** A client whose server describes a limiter, each time with the next of these closing times; undefined: it runs. */
function clientOf(closeTimes: (Date | undefined)[], sent: unknown[][]): Client {
  const notFound = new WorkflowNotFoundError('workflow execution already completed', 'limiter', undefined);
  const describe = async () => ({ closeTime: closeTimes.shift() });
  const signal = async (...args: unknown[]) => {
    // The limiter has ended since the description if another one follows.
    if (closeTimes.length > 0) throw notFound;
    sent.push(['signal', ...args]);
  };
  const signalWithStart = async (_type: string, { args }: { args: unknown[] }) => void sent.push(['start', ...args]);
  return {
    withAbortSignal: async (_: AbortSignal, ask: () => unknown) => await ask(),
    workflow: { getHandle: () => ({ describe, signal }), signalWithStart },
  } as unknown as Client;
}

async function send(...closeTimes: (Date | undefined)[]): Promise<unknown[][]> {
  const sent: unknown[][] = [];
  const environment = new MockActivityEnvironment({}, { client: clientOf(closeTimes, sent) });
  const sendToLimiter = sendToLimiterActivity({ providers: new Map(), slots: undefined });
  await environment.run(sendToLimiter, 'default', 'test/pair', message);
  return sent;
}

test('only signals a limiter that runs', async () => {
  expect(await send(undefined)).toEqual([['signal', 'message', message]]);
});

test('starts a limiter that knows when an earlier one ended, even one that ended before it had the message', async () => {
  const started = ['start', 'test/pair', message.settings, { endedAtMs: 1_000 }];
  expect(await send(new Date(1_000))).toEqual([started]);
  expect(await send(undefined, new Date(1_000))).toEqual([started]);
});
