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
  // The settings' calls would not fit into it: granted and given back without an end.
  [{ permitSeconds: 10 }, { permitSeconds: 120 }],
])('set by hand %j: %j', (override, expected) => {
  expect(limitsOf({ settings, override })).toMatchObject(expected);
});
