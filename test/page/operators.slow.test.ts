import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { QueueHistory, QueueView } from '../../contract/server/queue.ts';
import type { RunDetails } from '../../contract/server/run.ts';
import { MediaServer } from '../fixtures/media-server.ts';
import { TestContainer } from '../support/container.ts';
import { longWav } from '../support/media.ts';
import { PageStack } from '../support/page-stack.ts';
import { patient } from '../support/stack.ts';
import type { Visitor } from './visitor.ts';
import { useVisitors } from './visitors.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

const open = useVisitors();

let visitor: Visitor;
let page: Page;

const media = await stopAfterAll(MediaServer.start());
const system = await stopAfterAll(PageStack.start({ PRICE_PER_CPU_HOUR: '1' }, { containerEnvironment: patient }));

async function visit(path: string): Promise<void> {
  visitor = await open(system.server.url + path);
  page = visitor.page;
}

async function start(sourceUrl: string): Promise<string> {
  const outputs = [{ format: 'mp3_64', uploadUrl: 'result:x.mp3' }];
  const input = { sourceUrl, outputs, retry: { baseDelay: 8 } };
  const { status, body } = await system.server.post('/api/runs', { workflow: 'encode', input });
  expect(status).toBe(201);
  return body.id;
}

/** Serves a WAV file, but only after the promise resolves. */
async function hold(name: string, released: Promise<void>): Promise<string> {
  const body = await readFile(await longWav({ seconds: 2 }));
  return media.on(`GET /${name}`, async (_request, response) => {
    await released;
    response.writeHead(200, { 'content-length': body.length }).end(body);
  });
}

const row = (name: string, state: string) => page.locator(`.row.${state}`, { hasText: name });

test('a run overtakes another by priority, and a run waits visibly while its container is down', async () => {
  const released = Promise.withResolvers<void>();
  await start(await hold('first.wav', released.promise));
  await visit('/');
  await row('first.wav', 'running').waitFor();
  await start(await hold('second.wav', released.promise));
  await row('second.wav', 'queued').getByText('next in the queue').waitFor();
  const third = await start(await hold('third.wav', released.promise));
  await row('third.wav', 'queued').getByText('number 2 in the queue').waitFor();
  await page.getByRole('link', { name: 'third.wav' }).click();
  await page.getByLabel('Priority').selectOption('1 (first)');
  await page.getByText('Priority set to 1.').waitFor();
  await page.locator('.progress').getByText('next in the queue').waitFor();
  expect((await system.server.get(`/api/runs/${third}`)).body.priority).toBe(1);
  expect(await visitor.findings()).toEqual([]);

  await page.goBack();
  await page.getByRole('link', { name: 'first.wav' }).click();
  await page.locator('.run-head .running').waitFor();
  await system.stack.container.process.stop('SIGKILL');
  await page
    .locator('.progress')
    .getByText(/No container answers, retry at \d.*, in \d+ s/)
    .waitFor();
  expect(await visitor.findings()).toEqual([]);
  system.stack.containers[0] = await TestContainer.restart(system.stack.container);
  released.resolve();
  await page.locator('.run-head .succeeded').waitFor();
  await page.getByRole('button', { name: 'Play' }).waitFor();
  await page.locator('.legend').getByText('Failed attempt').waitFor();
  await page.goBack();
  for (const name of ['second.wav', 'third.wav']) await row(name, 'succeeded').waitFor();
});

/** Samples of a day, with one hour missing. */
function dayWithGap(): QueueHistory {
  const nowMs = Date.now();
  const samples = Array.from({ length: 1440 }, (_, minute) => ({
    at: new Date(nowMs - (1440 - minute) * 60_000).toISOString(),
    backlog: minute === 600 ? 12 : minute % 7,
    busy: 2,
    ready: 0,
  }));
  return { everySeconds: 60, samples: samples.filter((_, minute) => minute < 700 || minute >= 760) };
}

const since = new Date().toISOString();
const busyQueue: QueueView = {
  backlog: 0,
  busy: 1,
  ready: 0,
  workers: 1,
  containers: [
    {
      containerUrl: 'http://127.0.0.1:8080',
      state: 'busy',
      since,
      run: { id: 'encode-69788cda6f9b396643bc2b8799a2d202', phase: 'encode', percent: 40 },
    },
  ],
};

test('operators see failures by error and the history of the queue', async () => {
  // A restarted server has no samples for its first minute.
  await system.restartServer();
  const failed = await start(`${media.url}/nowhere.wav`);
  await visit('/operators');
  await page.getByText('The server takes one sample per minute.').waitFor();
  await system.server.process.until('failed run', async () => {
    return (await system.server.get(`/api/runs/${failed}`)).body.state === 'failed';
  });
  await page.route('**/api/queue/history', (route) => route.fulfill({ json: dayWithGap() }));
  await page.route('**/api/queue', (route) => route.fulfill({ json: busyQueue }));
  await page.reload();
  const error = page.locator('.errors li', { hasText: 'SourceNotFound' });
  await error.getByText('Check that the URL is correct').waitFor();
  await page.getByText(/^1 of \d+ ended runs$/).waitFor();
  await page.getByRole('img', { name: /queued.*busy.*peak 12 at/ }).waitFor();
  expect(await page.locator('polyline.backlog').count()).toBe(2);
  expect(await page.locator('.queue-picture .axis-y span').allTextContents()).toEqual(['0', '5', '10']);
  for (const label of await page.locator('.queue-picture .axis-x span').allTextContents()) {
    expect(label).toMatch(/^(6|12) [AP]M$/);
  }
  expect(await page.locator('.figures').textContent()).toMatch(/1worker$/);
  await page.setViewportSize({ width: 1700, height: 900 });
  const left = async (part: string): Promise<unknown> =>
    await page.evaluate(`document.querySelector('${part}').getBoundingClientRect().left`);
  expect(await left('.brand')).toBe(await left('h1'));
  const shortestLine = `Math.min(...Array.from(document.querySelector('.containers a').getClientRects(), ({ width }) => width || Infinity))`;
  for (let width = 320; width <= 400; width += 8) {
    await page.setViewportSize({ width, height: 900 });
    expect(await page.evaluate(shortestLine)).toBeGreaterThan(40);
  }
  expect(await visitor.findings()).toEqual([]);
  await error.getByRole('link').click();
  await page.getByRole('heading', { name: 'This run failed' }).waitFor();
});

test('the page shows the usage of ended runs, and saves it as CSV', async () => {
  const id = await start(await hold('used.wav', Promise.resolve()));
  const { endedAt } = await system.server.process.until('end of the run', async () => {
    const body = (await system.server.get(`/api/runs/${id}`)).body as RunDetails;
    return body.state === 'succeeded' && body;
  });
  await visit('/operators');
  const usage = page.getByRole('region', { name: 'Usage' }).first();
  const day = endedAt?.slice(0, 10) ?? '';
  await usage.getByRole('rowheader', { name: day }).waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  const { x = 0, width = 0 } = (await usage.getByRole('columnheader', { name: 'Cost (USD)' }).boundingBox()) ?? {};
  expect(x + width).toBeLessThan(390);
  const download = page.waitForEvent('download');
  await usage.getByRole('button', { name: 'Download as CSV' }).click();
  expect(await readFile(await (await download).path(), 'utf8')).toContain(`\r\n${day},`);
  expect(await visitor.findings()).toEqual([]);
});
