import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { startNode } from '../support/process.ts';
import { seededBeginning, seededId } from '../support/seeded-runs.ts';
import { startSeededServer } from './seeded-server.ts';
import type { Visitor } from './visitor.ts';
import { useVisitors } from './visitors.ts';

const open = useVisitors();

// More than one page of any size. Not a multiple of the page size, because Temporal then adds an empty page.
const [ended, underWay] = [157, 75];
const all = ended + underWay;

let visitor: Visitor;
let page: Page;

const { temporal, client, server } = await startSeededServer({ ended, underWay });

beforeEach(async () => {
  visitor = await open(server.url);
  page = visitor.page;
  await page.locator('.connection.live').waitFor();
});

const rows = (state = '') => page.locator(`.row${state}`);
const patience = { timeout: 100_000 };

/**
 * Counts since the page load: rendered rows (each formats a time), ticks of the clock, and further pages of the list that were read and
 * shown.
 */
const countWork = `(() => {
  window.work = { made: 0, ticks: 0, pages: 0 };
  const json = Response.prototype.json;
  Response.prototype.json = async function () {
    const page = await json.call(this);
    if (this.url.includes('cursor=')) setTimeout(() => (window.work.pages += 1));
    return page;
  };
  const format = Date.prototype.toLocaleTimeString;
  Date.prototype.toLocaleTimeString = function (...args) {
    window.work.made += 1;
    return format.apply(this, args);
  };
  setInterval(() => (window.work.ticks += 1), 1000);
})()`;
const work = async (): Promise<{ made: number; ticks: number; pages: number }> =>
  await page.evaluate('({ ...window.work })');
/** Number of rows that are rendered during three ticks of the clock. */
async function renderedDuringTicks(): Promise<number> {
  const before = await work();
  await expect.poll(async () => (await work()).ticks, patience).toBeGreaterThan(before.ticks + 2);
  return (await work()).made - before.made;
}

test('scrolls, filters and searches hundreds of runs, and re-renders only changed rows', async () => {
  await page.addInitScript(countWork);
  await page.reload();
  const more = page.getByRole('button', { name: 'Show more' });
  await more.waitFor();
  // A slow server may still send events. Each renders a row and moves the button, and a click on a moving button is lost.
  await expect.poll(renderedDuringTicks, patience).toBe(0);
  // Events may show runs before their page is read, so the rows do not tell when the last page has come. The button does.
  while ((await more.count()) > 0) {
    const { pages } = await work();
    await more.click();
    await expect.poll(async () => (await work()).pages, patience).toBeGreaterThan(pages);
  }
  await expect.poll(() => rows().count(), patience).toBe(all);
  expect(new Set(await page.locator('.to-run').allTextContents()).size).toBe(all);
  expect((await rows().first().getAttribute('class'))?.trim()).toBe('row queued');
  await rows().last().scrollIntoViewIfNeeded();
  await rows('.failed').last().getByRole('link').focus();
  await page.keyboard.press('ArrowUp');
  expect(
    await page.evaluate(`document.activeElement.closest('li') === document.querySelectorAll('.row')[${all - 2}]`),
  ).toBe(true);

  await expect.poll(renderedDuringTicks, patience).toBe(0);
  const before = await work();
  const input = { sourceUrl: 's3://media/new.wav', outputs: [{ format: 'mp3_64', uploadUrl: 's3://media/new.mp3' }] };
  const { body: started } = await server.post('/api/runs', { workflow: 'encode', input });
  // The row shows the id until a worker has started the run.
  await rows('.queued').getByText(started.id).waitFor();
  await client.workflow.getHandle(started.id).terminate();
  await rows('.failed').getByText(started.id).waitFor();
  expect((await work()).made - before.made).toBeLessThan(10);

  await page.getByLabel('Active').check({ force: true });
  await expect.poll(() => rows().count(), patience).toBe(50);
  expect(await rows('.failed').count()).toBe(0);
  await page.getByLabel('All', { exact: true }).check({ force: true });
  await page.keyboard.press('/');
  await page.getByRole('searchbox').fill(seededId(123));
  await expect.poll(() => page.locator('.to-run').allTextContents(), patience).toEqual(['talk-123.wav']);
  expect(await visitor.findings()).toEqual([]);
});

const total = async (): Promise<number> => (await server.get('/api/runs')).body.total as number;
/** Failed runs of owner-3 and of owner-4. */
const ofOwner = Math.floor(ended / 10) + 1;
const shown = (text: string) => page.locator('.summary').getByText(text, { exact: true });

test('filters by owner, format, date and state are in the URL, which a link and a reload restore', async () => {
  const everything = `${(await total()).toLocaleString('en')} runs`;
  await shown(everything).waitFor();
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByLabel('Owner').fill('owner-3');
  await page.getByLabel('Failed').check({ force: true });
  await shown(`${ofOwner} runs`).waitFor();
  await rows('.failed')
    .first()
    .getByText('The run was terminated in Temporal: terminated by user via frontend')
    .waitFor();
  expect(await visitor.findings()).toEqual([]);
  expect(new URL(page.url()).search).toBe('?owner=owner-3&state=failed');
  await page.reload();
  await shown(`${ofOwner} runs`).waitFor();
  expect(await page.getByLabel('Owner').inputValue()).toBe('owner-3');
  expect(await page.getByRole('radio', { name: 'Failed' }).isChecked()).toBe(true);

  await page.locator('.to-run').first().click();
  await page.getByRole('link', { name: 'All runs' }).click();
  expect(new URL(page.url()).search).toBe('?owner=owner-3&state=failed');
  await page.goBack();
  await page.goBack();
  await shown(`${ofOwner} runs`).waitFor();

  const { startedAt } = (await server.get(`/api/runs/${seededId(0)}`)).body as { startedAt: string };
  const day = await page.evaluate<string>(`new Date('${startedAt}').toLocaleDateString('sv')`);
  // Two days later, because midnight may have passed between the first run and the last.
  const later = new Date(Date.parse(day) + 2 * 86_400_000).toISOString().slice(0, 10);
  await page.getByLabel('Started from').fill(day);
  await expect.poll(() => new URL(page.url()).searchParams.get('from')).toBe(day);
  await shown(`${ofOwner} runs`).waitFor();
  await page.getByLabel('Started from').fill(later);
  await page.getByText('No matching runs').waitFor();
  await page.getByRole('button', { name: 'Clear all filters' }).click();
  await shown(everything).waitFor();
  expect(new URL(page.url()).search).toBe('');

  // No worker has set the formats of the seeded runs.
  await page.goto(`${server.url}/?format=mp3_128`);
  await page.getByText('No matching runs').waitFor();
  expect(await page.getByLabel('Format or preset').inputValue()).toBe('mp3_128');
  await page.goto(`${server.url}/?state=wrong`);
  await page.getByRole('alert').getByText('The request is not valid. state:').waitFor();
});

test('selects and cancels all matching runs at once, even those not loaded', async () => {
  await page.goto(server.url);
  await page.getByRole('searchbox').fill(seededBeginning);
  await shown(`${all.toLocaleString('en')} runs`).waitFor();
  await rows().first().getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Select all matches' }).click();
  const selected = page.getByRole('group', { name: `${all} runs selected` });
  await selected.waitFor();
  expect(await rows().count()).toBe(50);
  expect(await visitor.findings()).toEqual([]);
  // The second batch waits, so that the test sees the page after the first, however fast the others are.
  const isSeen = Promise.withResolvers<void>();
  let batches = 0;
  await page.route('**/api/runs:batch', async (route) => {
    batches += 1;
    if (batches === 2) await isSeen.promise;
    await route.continue();
  });
  await selected.getByRole('button', { name: 'Cancel' }).click();
  await page
    .getByRole('dialog', { name: `Cancel ${all} runs?` })
    .getByRole('button', { name: `Cancel ${all} runs` })
    .click();
  // The runs of an answered batch are no longer selected.
  await page.getByRole('group', { name: new RegExp(String.raw`^(?!${all} )\d+ runs selected$`) }).waitFor();
  isSeen.resolve();
  await page.getByText(`${underWay} runs are being cancelled.`).waitFor();
  await page.getByText(new RegExp(`^${ended} runs were not cancelled: .* has already ended\\.$`)).waitFor();

  await page.getByLabel('Active').check({ force: true });
  await rows('.queued').nth(49).waitFor();
  const worker = startNode('worker/main.ts', { TEMPORAL_ADDRESS: temporal.address, WORKER_ROLES: 'workflows' });
  try {
    await worker.untilLogged(/^Worker ready/);
    await page.getByText('No matching runs').waitFor();
    await page.getByLabel('Cancelled').check({ force: true });
    await rows('.cancelled').first().getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Select all matches' }).click();
    await page.getByRole('group', { name: `${underWay} runs selected` }).waitFor();
  } finally {
    await worker.stop('SIGTERM');
  }
});

// The runs that it starts have ids like those of the others.
test('runs all failed runs of the filters again after a question, and tells why some are refused', async () => {
  const before = await total();
  const owner = ['owner-4'];
  for (const workflowId of ['broken-1', 'broken-2']) {
    const options = { taskQueue: 'holdfast', args: [{}], searchAttributes: { HoldfastOwner: owner } };
    await (await client.workflow.start('encode', { workflowId, ...options })).terminate();
  }
  await expect.poll(total).toBe(before + 2);
  await page.goto(`${server.url}/?owner=owner-4&state=failed`);
  await shown(`${ofOwner + 2} runs`).waitFor();
  const retry = page.getByRole('button', { name: 'Run all failed again' });
  await retry.click();
  const question = page.getByRole('dialog', { name: `Run ${ofOwner + 2} failed runs again?` });
  await question.waitFor();
  expect(await visitor.findings()).toEqual([]);
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'hidden' });
  // The page hears of the closed dialog after it is hidden.
  await page.locator('.selection').waitFor({ state: 'detached' });
  expect(await total()).toBe(before + 2);
  await retry.click();
  await question.getByRole('button', { name: `Run all ${ofOwner + 2} again` }).click();
  await page.getByText(`${ofOwner} runs started again.`).waitFor();
  await page.getByText(/^2 runs were not started again: .*sourceUrl/).waitFor();
  await expect.poll(total).toBe(before + 2 + ofOwner);
});
