import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ProviderBackoff } from '../../../contract/provider.ts';
import { providerBackoffSeconds } from '../../../workflows/chunks/provider-backoff.ts';

const exponential = ProviderBackoff.parse({});
const jitter = ProviderBackoff.parse({ strategy: 'jitter' });

test.each<[string, ProviderBackoff, number, number[]]>([
  ['min(2^attempt, 30)', exponential, 0, [2, 4, 8, 16, 30, 30]],
  ['custom settings', { ...exponential, min: 0.5, multiplier: 3, max: 10 }, 0, [0.5, 1.5, 4.5, 10, 10, 10]],
  ['jitter at its longest', jitter, 1, [2, 4, 8, 16, 32, 60, 60]],
  ['jitter at its shortest', jitter, 0, [0.2, 0.4, 0.8, 1.6, 3.2, 6.4]],
  ['jitter in the middle', jitter, 0.5, [1.1, 2.2, 4.4, 8.8, 17.6, 35.2]],
  ['jitter with custom settings', { ...jitter, min: 5, multiplier: 3, max: 300 }, 1, [15, 45, 135, 300]],
])('the waits after successive attempts follow %s', (_, backoff, random, seconds) => {
  const waits = seconds.map((_, index) => providerBackoffSeconds(index + 1, backoff, undefined, () => random));
  expect(waits).toEqual(seconds.map((each) => expect.closeTo(each, 9) as number));
});

test.each<[string, number | undefined, number, number]>([
  ['asks for nothing', undefined, 4, 1.1],
  ['asks for less', 0.5, 4, 1.1],
  ['asks for more', 17, 17, 17],
  ['asks for more than the longest backoff', 400, 400, 400],
  ['asks for a day', 86_400, 86_400, 86_400],
  ['asks for more than the maximum', 1e12, 8 * 86_400, 8 * 86_400],
  ['asks for nonsense', Number.NaN, 4, 1.1],
  ['asks for infinity', Infinity, 4, 1.1],
  ['asks for the past', -30, 4, 1.1],
])(
  'waits the longer of the backoff and the wait asked for, if the provider %s',
  (_, asked, inStepsSeconds, spreadSeconds) => {
    expect(providerBackoffSeconds(2, exponential, asked, () => 0)).toBe(inStepsSeconds);
    expect(providerBackoffSeconds(1, jitter, asked, () => 0.5)).toBe(spreadSeconds);
  },
);

test('every wait is a number of seconds that a timer accepts', () => {
  const asked = fc.option(fc.double(), { nil: undefined });
  const random = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.constantFrom(exponential, jitter), fc.integer({ min: 1, max: 2_000 }), asked, random, (...it) => {
      const [backoff, attempt, retryAfterSeconds, drawn] = it;
      const seconds = providerBackoffSeconds(attempt, backoff, retryAfterSeconds, () => drawn);
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(8 * 86_400);
    }),
  );
});
