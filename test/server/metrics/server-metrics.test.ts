import { expect, test } from 'vitest';
import type { LimiterEntry } from '../../../contract/server/limiters.ts';
import { ServerMetrics } from '../../../server/metrics/server-metrics.ts';

test('a limiter that has ended keeps no value', async () => {
  const limiters: LimiterEntry[] = [{ key: 'openai/whisper-1' }, { key: 'other/model' }];
  const metrics = new ServerMetrics({
    queue: async () => ({ backlog: 0, busy: 0, ready: 0, workers: 0 }),
    limiters: async () => limiters,
    undeliveredWebhooks: async () => 0,
    lateWebhooks: async () => 0,
    buildId: undefined,
  });
  const keys = async () => (await metrics.text()).match(/(?<=^holdfast_limiter_up\{key=")[^"]+/gm);
  expect(await keys()).toEqual(['openai/whisper-1', 'other/model']);
  limiters.pop();
  expect(await keys()).toEqual(['openai/whisper-1']);
});
