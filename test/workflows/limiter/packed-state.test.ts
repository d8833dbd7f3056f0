import { expect, test } from 'vitest';
import { packRequests, unpackRequests } from '../../../workflows/limiter/packed-requests.ts';
import { packState, unpackState } from '../../../workflows/limiter/packed-state.ts';
import { holder, SimulatedLimiter, wideLimits } from '../../support/simulated-limiter.ts';

test.each([
  [[], []],
  [['0.1', '1.1', '2.1'], [[0, 2, '.1']]],
  [
    ['3.1', '4.2', '5.2', '4.1'],
    [
      [3, 3, '.1'],
      [4, 5, '.2'],
      [4, 4, '.1'],
    ],
  ],
  [
    ['a', '01.1', '7'],
    ['a', '01.1', '7'],
  ],
] as const)('packs the requests %j as %j and unpacks them unchanged', (requestIds, packed) => {
  expect(packRequests(requestIds)).toEqual(packed);
  expect(unpackRequests(packRequests(requestIds))).toEqual(requestIds);
});

test('unpacks a packed state unchanged, and accepts the state of an older version', () => {
  const limiter = new SimulatedLimiter({ limits: wideLimits({ maxConcurrent: 1 }) });
  limiter.request('a', '0.1', '1.1', '2.1').request('b', '0.1').request('a', '3.1');
  limiter.rateLimiter.overrideThrottle(60, 'maintenance', limiter.nowMs);
  limiter.advance();
  const state = limiter.rateLimiter.state();
  expect(unpackState(packState(state))).toEqual(state);
  const { refused: _, ...former } = state;
  expect(unpackState(former)).toBe(former);
});

test('the state has room for 20,000 runs that moved to another key during a throttle', () => {
  const limiter = new SimulatedLimiter({ throttle: { day: 86_400, rps: 60, other: 900 } });
  limiter.rateLimiter.overrideThrottle(86_400, 'tokens per day limit exceeded', limiter.nowMs);
  limiter.request('waits', '0.1');
  for (let run = 0; run < 20_000; run += 1) {
    const name = `processing-of-a-source-with-a-long-name-${run}`;
    limiter.request(name, '0.1').send(holder(name), { withdrawals: ['0.1'] });
  }
  const packed = packState(limiter.rateLimiter.state());
  // A payload may have 2 MiB.
  expect(JSON.stringify(packed).length).toBeLessThan(500_000);
  expect(unpackState(packed).throttleTold.map(({ workflowId }) => workflowId)).toContain('run-waits');
});
