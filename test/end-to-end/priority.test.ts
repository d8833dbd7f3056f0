import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startRun } from '../../client/start-run.ts';
import type { CommonInput } from '../../contract/workflow/common-input.ts';
import { MediaServer } from '../fixtures/media-server.ts';
import { RunHistory } from '../support/history.ts';
import { speechWav } from '../support/media.ts';
import { TestStack } from '../support/stack.ts';

let stack: TestStack;
let media: MediaServer;

beforeAll(async () => {
  [stack, media] = await Promise.all([TestStack.start(), MediaServer.start()]);
});
afterAll(async () => {
  await stack.stop();
  await media.stop();
});

test('runs that wait for a container get it by priority, and take turns by fairness key', async () => {
  const body = await readFile(speechWav);
  const released = Promise.withResolvers<void>();
  const start = async (name: string, common: CommonInput) => {
    const sourceUrl = media.on(`GET /${name}`, async (_, response) => {
      await released.promise;
      response.writeHead(200, { 'content-length': body.length }).end(body);
    });
    const handle = await startRun(stack.client, {
      ...{ workflowType: 'encode', workflowId: name, taskQueue: 'holdfast', summary: name, details: name },
      input: { sourceUrl, outputs: [{ format: 'mp3_64', uploadUrl: `${media.url}/${name}.mp3` }], ...common },
    });
    await stack.worker.until(
      `${name} in the queue of the container`,
      async () => (await RunHistory.of(handle)).secondsOf('encode').length === 1,
    );
    return handle;
  };
  const first = await start('first', {});
  await stack.untilStatus(first, 'a busy container', ({ state }) => state === 'running');
  const waiting = [
    await start('last', { priority: 5 }),
    await start('a1', { fairnessKey: 'a' }),
    await start('a2', { fairnessKey: 'a' }),
    await start('a3', { fairnessKey: 'a' }),
    await start('a4', { fairnessKey: 'a' }),
    await start('b1', { fairnessKey: 'b' }),
    await start('b2', { fairnessKey: 'b' }),
    await start('next', { priority: 1 }),
  ];
  released.resolve();
  await Promise.all([first, ...waiting].map((handle) => handle.result()));
  const order = media.requests.filter((request) => request.startsWith('GET')).map((request) => request.slice(5));
  expect([order[0], order[1], order.at(-1)]).toEqual(['first', 'next', 'last']);
  // Behind all of the key that came first they would be the sixth and the seventh of these.
  const turns = order.slice(2, -1);
  expect(turns.filter((name) => name.startsWith('a'))).toEqual(['a1', 'a2', 'a3', 'a4']);
  expect(turns.indexOf('b1')).toBeLessThan(turns.indexOf('a3'));
  expect(turns.indexOf('b2')).toBeLessThan(turns.indexOf('a4'));
});
