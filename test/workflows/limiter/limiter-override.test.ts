import { expect, test } from 'vitest';
import {
  type LimiterDetails,
  type LimiterStats,
  limiterQueries,
  limiterSignals,
  limiterWorkflowId,
  limiterWorkflowType,
} from '../../../contract/limiter.ts';
import { ProviderLimits } from '../../../contract/provider.ts';
import { TimeSkipping } from '../../support/time-skipping.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

const time = await stopAfterAll(TimeSkipping.start());

test('a limiter obeys an operator’s override and refuses invalid signals', async () => {
  const limits = ProviderLimits.parse({});
  const workflowId = limiterWorkflowId('override', 'test/model');
  await time.withWorkers([], async (taskQueue) => {
    const { workflow } = time.environment.client;
    const limiter = await workflow.start(limiterWorkflowType, {
      workflowId,
      taskQueue,
      args: ['test/model', { limits }],
    });
    for (const signal of [undefined, {}, { seconds: 'long', reason: 'x' }, { seconds: 1e300, reason: 'x' }]) {
      await limiter.signal(limiterSignals.throttle, signal);
    }
    await limiter.signal(limiterSignals.setLimits, { requestsPerMinute: 0 });
    await limiter.signal(limiterSignals.setLimits, null);
    expect(await limiter.query<LimiterStats>(limiterQueries.stats)).toMatchObject({
      throttled: false,
      limit_per_minute: 50,
    });

    await limiter.signal(limiterSignals.setLimits, { requestsPerMinute: 30 });
    await limiter.signal(limiterSignals.throttle, { seconds: 3_600, reason: 'maintenance' });
    const set = await limiter.query<LimiterStats>(limiterQueries.stats);
    expect(set).toMatchObject({ limit_per_minute: 30, throttled: true, throttle_reason: 'maintenance' });
    await limiter.signal(limiterSignals.resume);
    expect(await limiter.query<LimiterStats>(limiterQueries.stats)).toMatchObject({
      throttled: false,
      throttle_until: null,
    });
    expect(await limiter.query<LimiterDetails>(limiterQueries.details)).toMatchObject({
      override: { requestsPerMinute: 30 },
    });
    await limiter.terminate();
  });
  const refused = time.workflowLog(workflowId).filter((line) => line.includes('refused the invalid signal'));
  expect(refused).toHaveLength(6);
});
