import { expect, test } from 'vitest';
import { UsedResources } from '../../../workflows/run/used-resources.ts';
import { answer, encodeResult } from '../../fixtures/scripted-container.ts';
import { inTurn, useScriptedRuns } from '../../support/scripted-runs.ts';

const { run } = await useScriptedRuns();

const first = { seconds: 4, cpuSeconds: 3.25, bytesIn: 1000, bytesOut: 0 };
const second = { seconds: 6.5, cpuSeconds: 5, bytesIn: 1000, bytesOut: 300 };

test('a run keeps the usage of its failed and its successful jobs in its memo', async () => {
  const body = { success: false, error: 'The source does not answer.', code: 'source_unavailable', usage: first };
  const { handle } = await run(inTurn(answer(502, body), answer(200, { ...encodeResult, usage: second })));
  const { memo } = await handle.describe();
  expect(memo?.['usage']).toEqual({ jobs: 2, seconds: 10.5, cpuSeconds: 8.25, bytesIn: 2000, bytesOut: 300 });
});

test('a failed run keeps the usage of its jobs', async () => {
  const body = { success: false, error: 'The source is damaged.', code: 'undecodable_source', usage: first };
  const { handle, failure } = await run(() => answer(422, body));
  expect(failure?.type).toBe('UndecodableSource');
  const { memo } = await handle.describe();
  expect(memo?.['usage']).toEqual({ jobs: 1, ...first });
});

test('a run of a container that reports no usage has no memo', async () => {
  const { handle, history } = await run(() => answer(200, encodeResult));
  expect((await handle.describe()).memo?.['usage']).toBeUndefined();
  expect(history.text()).not.toContain('usage-in-memo');
});

test('counts calls by provider, and prices only the answered ones', () => {
  const used = new UsedResources({ jobs: 1, seconds: 1, bytesIn: 1, bytesOut: 1 });
  const priced = { key: 'a/b', price: { perCall: 0.5, perMinute: 2 } };
  expect([30, undefined, 90].map((seconds) => used.addCall(priced, seconds))).toEqual([1.5, 0, 3.5]);
  expect(used.addCall({ key: 'c/d' }, 60)).toBe(0);
  expect(used.total).toEqual({
    jobs: 1,
    seconds: 1,
    bytesIn: 1,
    bytesOut: 1,
    providers: {
      'a/b': { calls: 3, answered: 2, audioSeconds: 120, cost: 5 },
      'c/d': { calls: 1, answered: 1, audioSeconds: 60 },
    },
  });
});
