import { copyFile, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { PutBucketCorsCommand, S3Client } from '@aws-sdk/client-s3';
import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { limitUpload } from '../support/browser.ts';
import { useFolder } from '../support/folder.ts';
import { longWav, speechWav } from '../support/media.ts';
import { PageStack } from '../support/page-stack.ts';
import { matrixTest } from '../support/rows.ts';
import { startS3, versitygw } from '../support/s3.ts';
import { endAfterAll, stopAfterAll } from '../support/stop-after-all.ts';
import { startToxiproxy } from '../support/toxiproxy.ts';
import { chooserOf, expectKept, startChosen, startFiles } from './chooser.ts';
import type { Visitor } from './visitor.ts';
import { useVisitors } from './visitors.ts';

const open = useVisitors();
// versitygw enforces CORS rules like AWS.
const store = await versitygw();

let visitor: Visitor;
let page: Page;

const folder = useFolder();
/** A file of three parts. */
const wav = await longWav({ seconds: 100, channels: 2 });
const s3 = await stopAfterAll(startS3(['media'], store));
const toxiproxy = await stopAfterAll(startToxiproxy());
/** The connection of all clients to the store. */
const line = await toxiproxy.proxy(s3.endpoint);
const { endpoint, accessKeyId, secretAccessKey } = s3;
const bucket = new S3Client({
  endpoint,
  region: 'us-east-1',
  forcePathStyle: true,
  credentials: { accessKeyId, secretAccessKey },
});
endAfterAll(async () => bucket.destroy());
const workerEnvironment = { ...s3.environment, AWS_ENDPOINT_URL_S3: line.url };
const environment = { ...workerEnvironment, S3_UPLOAD_PREFIX: 's3://media/uploads/' };
const system = await stopAfterAll(PageStack.start(environment, { workerEnvironment }));
const rule = { AllowedOrigins: [system.server.url], AllowedMethods: ['GET', 'HEAD', 'PUT'] };
await bucket.send(new PutBucketCorsCommand({ Bucket: 'media', CORSConfiguration: { CORSRules: [rule] } }));

beforeEach(async () => {
  visitor = await open(system.server.url);
  ({ page } = visitor);
  await page.locator('.connection.live').waitFor();
});

const choose = async (): Promise<void> => await startFiles(page, wav);
const upload = () => page.locator('.upload');
const percent = async (): Promise<number> => Number(await upload().locator('progress').getAttribute('value'));
async function copyOfSpeech(name: string): Promise<string> {
  const path = join(folder, name);
  await copyFile(speechWav, path);
  return path;
}

const patience = { timeout: 100_000 };

test('a file uploads straight to the bucket and resumes after a connection loss, a pause and a reload', async () => {
  const name = basename(wav);
  const stored: string[] = [];
  const elsewhere: string[] = [];
  page.on('requestfinished', async (request) => {
    const { origin, pathname, searchParams } = new URL(request.url());
    if (origin === line.url && (await request.response())?.status() === 200) {
      stored.push(searchParams.get('partNumber') ?? '');
    } else if (/^\/api\/uploads(?!\/s3)/.test(pathname)) elsewhere.push(pathname);
  });
  const lift = await limitUpload(page, 2_000_000);
  await choose();
  await expect.poll(percent, patience).toBeGreaterThan(4);
  await upload()
    .getByText(/% uploaded · .* · .*\/s · .* left$/)
    .waitFor();
  const broken = page.waitForEvent('requestfailed');
  await line.cut();
  await broken;
  await line.mend();
  // The last part is the smallest and completes first.
  await expect.poll(() => stored, patience).toEqual(['3']);
  await page.getByRole('button', { name: `Pause: ${name}` }).click();
  await upload().getByText('Paused').waitFor();
  expect(await visitor.findings()).toEqual([]);

  await page.reload();
  await lift();
  await choose();
  await page.locator('.row', { hasText: name }).waitFor();
  await page.locator('.row.succeeded', { hasText: name }).waitFor();
  expect(stored.toSorted()).toEqual(['1', '2', '3']);
  expect(elsewhere).toEqual([]);
  const folder = join(s3.folder, 'media', 'uploads', 'shared');
  const [object = ''] = await readdir(folder);
  expect((await readFile(join(folder, object))).equals(await readFile(wav))).toBe(true);
  await page.getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  await page.getByRole('button', { name: 'Play' }).waitFor();
  // The source plays from the bucket.
  const source = `document.querySelector('audio').src.startsWith(${JSON.stringify(line.url)})`;
  expect(await page.evaluate(source)).toBe(true);
  expect((await stat(wav)).size).toBeGreaterThan(16 * 1024 ** 2);
});

test.each([
  ['cancelling an upload', 'Cancel'],
  ['discarding an upload of an earlier visit', 'Discard'],
])('%s aborts it at the bucket', async (_act, button) => {
  await limitUpload(page, 500_000);
  await choose();
  await expect.poll(percent, patience).toBeGreaterThan(0);
  await page.getByRole('button', { name: `Pause: ${basename(wav)}` }).click();
  if (button === 'Discard') await page.reload();
  else {
    // The list is loaded again, and shows the upload once.
    await page.getByRole('link', { name: 'Containers' }).click();
    const listed = page.waitForResponse(/\/api\/uploads\/s3\//);
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await listed;
    await upload().getByText('Paused').waitFor();
  }
  const removed = page.waitForResponse((response) => response.request().method() === 'DELETE', patience);
  await page.getByRole('button', { name: `${button}: ${basename(wav)}` }).click();
  // The store may keep a part that was in transfer until the next day's sweep.
  expect((await removed).status()).toBe(204);
  await expect.poll(() => upload().count()).toBe(0);
});

matrixTest('a finished upload waits for a choice, also after a reload', async () => {
  const file = await copyOfSpeech('Later.wav');
  await page.locator('.drop input[type=file]').setInputFiles(file);
  await chooserOf(page).waitFor();
  await page.keyboard.press('Escape');
  await expectKept(page, file);
  await page.getByRole('button', { name: 'Choose results: Later.wav' }).click();
  await startChosen(page);
  await page.locator('.row.succeeded', { hasText: 'Later.wav' }).waitFor();
  await page.reload();
  await page.locator('.connection.live').waitFor();
  expect(await page.evaluate(`Object.keys(localStorage).filter((key) => key.includes('Later.wav'))`)).toEqual([]);
});

test('an upload can be paused or cancelled while the upload code is still loading', async () => {
  const loaded = Promise.withResolvers<void>();
  await page.route(/\/upload-(?!list)[\w-]+\.js$/, async (route) => {
    await loaded.promise;
    await route.continue();
  });
  const begun: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/api/uploads/s3')) begun.push(String(request.postDataJSON().filename));
  });
  const [one = '', other = ''] = await Promise.all(['One.wav', 'Other.wav'].map(copyOfSpeech));
  await startFiles(page, [one, other]);
  await page.getByRole('button', { name: 'Pause: One.wav' }).press('Enter');
  await page.getByRole('button', { name: 'Cancel: Other.wav' }).press('Enter');
  await expect.poll(() => upload().count()).toBe(1);
  expect(await page.evaluate('document.activeElement.id')).toBe('main');
  const script = page.waitForResponse(/\/upload-(?!list)[\w-]+\.js$/);
  loaded.resolve();
  await (await script).finished();
  await page.getByRole('button', { name: 'Resume: One.wav' }).press('Enter');
  await page.locator('.row', { hasText: 'One.wav' }).waitFor();
  await expect.poll(() => upload().count()).toBe(0);
  expect(await page.evaluate('document.activeElement.id')).toBe('main');
  expect(begun).toEqual(['One.wav']);
});

test('refuses an empty file, and uploads although the browser’s storage is full', async () => {
  const empty = join(folder, 'Empty.wav');
  await writeFile(empty, '');
  await page.locator('input[type=file]').setInputFiles(empty);
  await page.getByText('Empty.wav is empty.').waitFor();
  await page.evaluate(`Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }`);
  await startFiles(page, await copyOfSpeech('Full.wav'));
  await page.locator('.row', { hasText: 'Full.wav' }).waitFor();
});
