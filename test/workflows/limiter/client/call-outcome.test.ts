import { expect, test } from 'vitest';
import { type CallOutcome, toPermitReport } from '../../../../workflows/limiter/client/call-outcome.ts';

const failed = { kind: 'failed', error: 'x', message: 'down', retryable: true } as const;

test.each<[CallOutcome, object]>([
  [{ kind: 'ok' }, { kind: 'ok' }],
  [
    { kind: 'rate_limited', message: 'Slow down', retryAfterSeconds: 7 },
    { kind: 'rate_limited', message: 'Slow down', retryAfterSeconds: 7 },
  ],
  [
    { ...failed, fault: 'provider' },
    { kind: 'failed', message: 'down' },
  ],
  [{ ...failed, fault: 'request' }, { kind: 'ok' }],
  [{ ...failed, fault: 'worker', called: false }, { kind: 'unused' }],
  [{ ...failed, fault: 'worker', called: true }, { kind: 'broken_off' }],
  [{ kind: 'unused', message: 'x', called: false }, { kind: 'unused' }],
  [{ kind: 'unused', message: 'x', called: true }, { kind: 'broken_off' }],
  [{ kind: 'lost', message: 'x' }, { kind: 'broken_off' }],
  [
    { kind: 'unauthorized', message: 'x', called: true },
    { kind: 'unauthorized', message: 'x' },
  ],
  [{ kind: 'unauthorized', message: 'x', called: true, forbidden: true }, { kind: 'ok' }],
])('reports the outcome %j to the limiter as %j', (outcome, reported) => {
  expect(toPermitReport('p-1', outcome)).toEqual({ permitId: 'p-1', outcome: reported });
});
