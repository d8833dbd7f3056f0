import { expect, test } from 'vitest';
import { shutdownTimes } from '../../worker/shutdown-times.ts';

test('a worker is ended by force only some seconds after its drain', () => {
  expect(shutdownTimes(120)).toEqual({ shutdownGraceTime: '120s', shutdownForceTime: '135s' });
});
