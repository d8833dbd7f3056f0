import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GateDetails, GateStats } from '../../../contract/limiter.ts';
import { gateQueries, gateSignals, gateWorkflowId, gateWorkflowType } from '../../../contract/names.ts';
import { ProviderLimits } from '../../../contract/provider.ts';
import { TimeSkipping } from '../../support/time-skipping.ts';

let time: TimeSkipping;
beforeAll(async () => {
  time = await TimeSkipping.start();
});
afterAll(async () => {
  await time.stop();
});

test('a gate takes what is set by hand, and survives what makes no sense', async () => {
  const limits = ProviderLimits.parse({});
  const workflowId = gateWorkflowId('by-hand', 'test/model');
  await time.withWorkers([], async (taskQueue) => {
    const { workflow } = time.environment.client;
    const gate = await workflow.start(gateWorkflowType, { workflowId, taskQueue, args: ['test/model', { limits }] });
    for (const signal of [undefined, {}, { seconds: 'long', reason: 'x' }, { seconds: 1e300, reason: 'x' }]) {
      await gate.signal(gateSignals.throttle, signal);
    }
    await gate.signal(gateSignals.setLimits, { requestsPerMinute: 0 });
    await gate.signal(gateSignals.setLimits, null);
    expect(await gate.query<GateStats>(gateQueries.stats)).toMatchObject({ throttled: false, limit_per_minute: 50 });

    await gate.signal(gateSignals.setLimits, { requestsPerMinute: 30 });
    await gate.signal(gateSignals.throttle, { seconds: 3_600, reason: 'maintenance' });
    const set = await gate.query<GateStats>(gateQueries.stats);
    expect(set).toMatchObject({ limit_per_minute: 30, throttled: true, throttle_reason: 'maintenance' });
    await gate.signal(gateSignals.resume);
    expect(await gate.query<GateStats>(gateQueries.stats)).toMatchObject({ throttled: false, throttle_until: null });
    expect(await gate.query<GateDetails>(gateQueries.details)).toMatchObject({ byHand: { requestsPerMinute: 30 } });
    await gate.terminate();
  });
  const refused = time.workflowLog(workflowId).filter((line) => line.includes('refused the signal'));
  expect(refused).toHaveLength(6);
});
