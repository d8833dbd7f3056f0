import { expect, test } from 'vitest';
import type { ProviderBackoff } from '../../../contract/provider.ts';
import { type AttemptEnd, chunkStep } from '../../../workflows/chunks/chunk-step.ts';

const backoff: ProviderBackoff = { strategy: 'exponential', min: 2, max: 30, multiplier: 2, attempts: 4 };
const limited: AttemptEnd = { kind: 'rate_limited', message: 'Slow down' };
const down: AttemptEnd = { kind: 'failed', error: 'unreachable', message: 'Gone', again: true };

test.each<[string, AttemptEnd, number, unknown]>([
  ['a success', { kind: 'ok' }, 4, { kind: 'completed' }],
  ['the first 429', limited, 1, { kind: 'backoff', seconds: 2, error: 'rate_limited', message: 'Slow down' }],
  ['the third 429', limited, 3, { kind: 'backoff', seconds: 8, error: 'rate_limited', message: 'Slow down' }],
  ['the fourth 429', limited, 4, { kind: 'failed', error: 'rate_limited', message: 'Slow down' }],
  ['a 429 that asks for more', { ...limited, retryAfterSeconds: 50 }, 1, { kind: 'backoff', seconds: 50 }],
  ['a 429 that asks for less', { ...limited, retryAfterSeconds: 1 }, 2, { kind: 'backoff', seconds: 4 }],
  ['a lost connection', down, 2, { kind: 'backoff', seconds: 4, error: 'unreachable', message: 'Gone' }],
  ['the fourth lost connection', down, 4, { kind: 'failed', error: 'unreachable', message: 'Gone' }],
  [
    'a timeout',
    { kind: 'failed', error: 'timeout', message: 'Late', again: false },
    1,
    { kind: 'failed', error: 'timeout', message: 'Late' },
  ],
])('after %s', (_, end, attempt, expected) => {
  expect(chunkStep(end, attempt, backoff, () => 0.5)).toMatchObject(expected as object);
});
