import type { Client } from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { spreadSettingsActivity } from '../../../activities/spread/settings.ts';
import { presenceIdentity } from '../../../contract/container-presence.ts';

const limits = { mostContainers: 16, leastSeconds: 300 };

/** Settings of a worker whose clock is `aheadMs` ahead of Temporal's, beside containers that polled so many seconds ago. */
async function settingsWith(polledSecondsAgo: readonly number[], aheadMs: number) {
  const temporalMs = Date.now() - aheadMs;
  const pollers = polledSecondsAgo.map((ago, index) => ({
    identity: presenceIdentity({ containerUrl: `http://c${index}`, since: '', worker: 'w', workerVersion: '1' }),
    lastAccessTime: { seconds: Math.floor(temporalMs / 1000) - ago },
  }));
  const client = {
    options: { namespace: 'default' },
    withAbortSignal: (_: unknown, body: () => unknown) => body(),
    workflowService: { describeTaskQueue: async () => ({ pollers }) },
  } as unknown as Client;
  const info = { currentAttemptScheduledTimestampMs: temporalMs };
  return await new MockActivityEnvironment(info, { client }).run(spreadSettingsActivity(limits));
}

test.each([0, 600_000, -600_000])('counts the containers if the worker’s clock is %i ms ahead', async (aheadMs) => {
  expect(await settingsWith([1, 5, 40, 200], aheadMs)).toEqual({ ...limits, containers: 2 });
});
