import { expect, test } from 'vitest';
import type { LimitsOverride } from '../../../contract/limiter.ts';
import { ProviderLimits } from '../../../contract/provider.ts';
import { limitsOf } from '../../../workflows/limiter/limiter-state.ts';

const settings = { limits: ProviderLimits.parse({ requestsPerMinute: 40 }) };

test.each<[LimitsOverride, Partial<ProviderLimits>]>([
  [{}, { requestsPerMinute: 40, maxConcurrent: 5 }],
  [{ requestsPerMinute: 30 }, { requestsPerMinute: 30, maxConcurrent: 5 }],
  [{ requestsPerMinute: null }, { requestsPerMinute: 40 }],
  [{ permitSeconds: 300 }, { permitSeconds: 300 }],
  // A call at the settings' time limit would not fit into such a permit and would never be made.
  [{ permitSeconds: 10 }, { permitSeconds: 120 }],
])('the override %j yields the limits %j', (override, expected) => {
  expect(limitsOf({ settings, override })).toMatchObject(expected);
});
