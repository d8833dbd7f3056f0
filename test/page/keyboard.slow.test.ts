import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { matrixTest, rowsExcept } from '../support/rows.ts';
import { startSeededServer } from './seeded-server.ts';
import type { Visitor } from './visitor.ts';
import { useVisitors } from './visitors.ts';

const open = useVisitors();

const [ended, underWay] = [3, 2];

let visitor: Visitor;
let page: Page;

const { client, server } = await startSeededServer({ ended, underWay });

async function visit(path: string): Promise<void> {
  visitor = await open(server.url + path);
  page = visitor.page;
  await page.locator('.connection.live').waitFor();
}

const focused = async (): Promise<string> =>
  await page.evaluate('document.activeElement.id || document.activeElement.tagName');
const unavailable = {
  status: 503,
  json: { status: 503, code: 'temporal_unavailable', detail: 'Temporal does not answer at the moment.' },
};

test('runs are selected by keyboard, even after a failed request, and the focus stays in the view', async () => {
  await visit('/');
  await page
    .locator('.row')
    .nth(ended + underWay - 1)
    .waitFor();
  // Its code is loaded after the list.
  await page.locator('.keys').waitFor();
  await page.locator('.to-run').first().focus();
  await page.keyboard.press('x');
  const bar = (count: string) => page.getByRole('group', { name: `${count} selected` });
  await bar('1 run').waitFor();
  await page.route('**/api/runs?*', (route) => route.fulfill(unavailable));
  await bar('1 run').getByRole('button', { name: 'Select all matches' }).press('Enter');
  await page.getByText('Temporal does not answer at the moment.').waitFor();
  expect(await visitor.findings()).toEqual([]);
  await page.getByRole('button', { name: 'Close' }).press('Enter');
  await page.unroute('**/api/runs?*');
  await bar('1 run').getByRole('button', { name: 'Select all matches' }).press('Enter');
  await page.getByRole('status').getByText('5 runs selected').waitFor();
  await bar('5 runs').getByRole('button', { name: 'Clear selection' }).press('Enter');
  await expect.poll(() => page.locator('.selection').count()).toBe(0);
  expect(await focused()).toBe('main');
});

async function startRun(): Promise<string> {
  const input = { sourceUrl: 's3://media/new.wav', outputs: [{ format: 'mp3_64', uploadUrl: 's3://media/new.mp3' }] };
  return ((await server.post('/api/runs', { workflow: 'encode', input })).body as { id: string }).id;
}

test.each(rowsExcept(['Priority'], ['Cancel', 'Priority']))(
  'the focus stays in the view when the focused “%s” disappears with the end of its run',
  async (name) => {
    const id = await startRun();
    await visit(`/runs/${id}`);
    await (name === 'Priority' ? page.getByLabel(name) : page.getByRole('button', { name })).focus();
    await client.workflow.getHandle(id).terminate('by a test');
    await page.getByRole('button', { name: 'Run again' }).waitFor();
    expect(await focused()).toBe('main');
  },
);

test('the focus moves to opened views, returns from the dialog, and stays in the view when a notice is closed', async () => {
  await visit('/');
  await page.getByRole('button', { name: 'Change' }).press('Enter');
  const words = async (): Promise<string> => await page.evaluate('document.activeElement.textContent');
  await expect.poll(words).toBe('Save');
  await page.keyboard.press('Escape');
  await expect.poll(words).toBe('Change');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.locator('.to-run').first().press('Enter');
  await page.locator('.run-head').waitFor();
  expect(await focused()).toBe('main');
  await page.route('**/cancel', (route) => route.fulfill(unavailable));
  await page.getByRole('button', { name: 'Cancel' }).press('Enter');
  await page.getByRole('button', { name: 'Cancel the run' }).press('Enter');
  await page.getByRole('button', { name: 'Close' }).press('Enter');
  await expect.poll(focused).toBe('main');
});

matrixTest('the last of several quickly chosen priorities wins, and a refused one is undone', async () => {
  const id = await startRun();
  await visit(`/runs/${id}`);
  const asked: number[] = [];
  const first = Promise.withResolvers<void>();
  let isRefused = false;
  await page.route('**/priority', async (route) => {
    const { priority } = route.request().postDataJSON() as { priority: number };
    asked.push(priority);
    if (asked.length === 1) await first.promise;
    if (isRefused) await route.fulfill(unavailable);
    else await route.fulfill({ status: 202, json: { id } });
  });
  const select = page.getByLabel('Priority');
  await select.focus();
  await select.selectOption('2');
  await select.selectOption('5 (last)');
  await select.selectOption('1 (first)');
  await expect.poll(() => asked).toEqual([2]);
  first.resolve();
  await page.getByText('Priority set to 1.').waitFor();
  expect(asked).toEqual([2, 1]);
  isRefused = true;
  await select.selectOption('4');
  await page.getByText('Temporal does not answer at the moment.').waitFor();
  expect(await select.inputValue()).toBe('1');
  expect(await visitor.findings()).toEqual([]);
});

test('the operators’ view explains empty lists and server errors', async () => {
  const since = new Date().toISOString();
  await visit('/');
  await page.route('**/api/errors*', (route) => route.fulfill({ json: { since, ended: 0, failed: 0, errors: [] } }));
  await page.getByRole('link', { name: 'Containers' }).press('Enter');
  const day = page.getByRole('region', { name: 'Failures in the last 24 hours' });
  await day.getByText('No run has ended.').waitFor();
  expect(await visitor.findings()).toEqual([]);
  for (const path of ['errors*', 'queue/history', 'queue', 'limiters']) {
    await page.route(`**/api/${path}`, (route) => route.fulfill(unavailable));
  }
  await page.reload();
  await page.getByRole('alert').getByText('Temporal does not answer at the moment.').waitFor();
  await day.getByText('Temporal does not answer at the moment.').waitFor();
  await page.getByRole('region', { name: 'Queue in the last 24 hours' }).getByText('Temporal does not').waitFor();
  expect(await visitor.findings()).toEqual([]);
});
