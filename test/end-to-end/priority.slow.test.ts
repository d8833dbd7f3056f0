import { expect, test } from 'vitest';
import { MediaServer } from '../fixtures/media-server.ts';
import { QueuedEncodes } from '../support/queued-encodes.ts';
import { patient, TestStack } from '../support/stack.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

const [stack, media] = await Promise.all([
  stopAfterAll(TestStack.start({ containerEnvironment: patient })),
  stopAfterAll(MediaServer.start()),
]);

test('queued runs get a container by priority and take turns by fairness key', async () => {
  const encodes = new QueuedEncodes(stack, media);
  await encodes.start('first');
  await encodes.start('last', { priority: 5 });
  for (const name of ['a1', 'a2', 'a3', 'a4']) await encodes.start(name, { fairnessKey: 'a' });
  for (const name of ['b1', 'b2']) await encodes.start(name, { fairnessKey: 'b' });
  await encodes.start('next', { priority: 1 });
  const order = await encodes.order();
  expect([order[0], order[1], order.at(-1)]).toEqual(['first', 'next', 'last']);
  // Without fairness, they would come sixth and seventh, after all runs of the first key.
  const turns = order.slice(2, -1);
  expect(turns.filter((name) => name.startsWith('a'))).toEqual(['a1', 'a2', 'a3', 'a4']);
  expect(turns.indexOf('b1')).toBeLessThan(turns.indexOf('a3'));
  expect(turns.indexOf('b2')).toBeLessThan(turns.indexOf('a4'));
});
