import { expect, test } from 'vitest';
import { runDelaySeconds, type RunQueueFacts } from '../../../workflows/chunks/run-delay.ts';

const limits = {
  maxConcurrent: 5,
  requestsPerMinute: 60,
  requestsPerHour: 3600,
  burstLimit: 10,
  permitSeconds: 120,
  breakerFailures: 5,
  breakerSeconds: 60,
};
const idle: RunQueueFacts = {
  nowMs: 1_000_000,
  limits,
  callMs: 4_000,
  notAsked: 0,
  inCall: 0,
  lastGrantAtMs: undefined,
  backoffUntilMs: undefined,
  throttledUntilMs: undefined,
};

test.each<[string, Partial<RunQueueFacts>, number]>([
  ['nothing is left', {}, 0],
  ['calls are in progress', { inCall: 3 }, 4],
  ['ten requests remain, at one per second', { notAsked: 10, inCall: 5 }, 14],
  ['long calls are the bottleneck', { notAsked: 10, callMs: 30_000 }, 90],
  ['the hourly limit is the bottleneck', { notAsked: 10, limits: { ...limits, requestsPerHour: 60 } }, 604],
  ['the limiter expects a grant', { inCall: 1, lastGrantAtMs: 1_020_000 }, 24],
  ['a chunk backs off', { backoffUntilMs: 1_008_000 }, 12],
  ['the key is throttled', { notAsked: 1, throttledUntilMs: 1_900_000 }, 905],
])('estimates the delay if %s', (_, queue, seconds) => {
  expect(runDelaySeconds({ ...idle, ...queue })).toBe(seconds);
});
