import { copyFile, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { BlobServiceClient } from '@azure/storage-blob';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStores, type StoreVariables } from '../../stores/backends.ts';
import { FaultyLine } from '../fixtures/faulty-line.ts';
import { limitUpload } from '../support/browser.ts';
import { type Azurite, startAzurite } from '../support/azurite.ts';
import { useFolder } from '../support/folder.ts';
import { googleKeyFile } from '../support/google.ts';
import { longWav, speechWav } from '../support/media.ts';
import { PageStack } from '../support/page-stack.ts';
import { matrixTest, rowsExcept } from '../support/rows.ts';
import { type S3Server, startS3, withoutKeys } from '../support/s3.ts';
import { TestServer } from '../support/server.ts';
import { chooserOf, expectKept, startFiles } from './chooser.ts';
import type { Visitor } from './visitor.ts';
import { useVisitors } from './visitors.ts';

const open = useVisitors();
const folder = useFolder();
const schemes = ['az', 'gs'] as const;
type Scheme = (typeof schemes)[number];

let azurite: Azurite;
// No emulator has the multipart uploads of Google's XML API. Their requests are those of S3, so an S3 server takes them.
let google: S3Server;
let key: Awaited<ReturnType<typeof googleKeyFile>>;
/** The connections to the stores. */
let lines: Record<Scheme, FaultyLine>;
let variables: StoreVariables;
let system: PageStack;
let servers: Record<Scheme, TestServer>;
/** A file of three parts. */
let wav: string;

beforeAll(async () => {
  [azurite, google, key, wav] = await Promise.all([
    startAzurite(),
    startS3(['media'], withoutKeys),
    googleKeyFile(),
    longWav({ seconds: 100, channels: 2 }),
  ]);
  lines = { az: await FaultyLine.start(azurite.endpoint), gs: await FaultyLine.start(google.endpoint) };
  const environment = {
    AZURE_STORAGE_CONNECTION_STRING: azurite.connectionString({ endpoint: lines.az.url }),
    GOOGLE_APPLICATION_CREDENTIALS: key.path,
    STORAGE_EMULATOR_HOST: lines.gs.url,
  };
  variables = environment;
  const prefixes = { az: `az://${azurite.account}/media/uploads/`, gs: 'gs://media/uploads/' };
  system = await PageStack.start({ ...environment, S3_UPLOAD_PREFIX: prefixes.az }, { workerEnvironment: environment });
  servers = {
    az: system.server,
    gs: await TestServer.start({
      TEMPORAL_ADDRESS: system.stack.temporal.address,
      MEDIA_ROOT: system.stack.container.mediaRoot,
      ...environment,
      S3_UPLOAD_PREFIX: prefixes.gs,
    }),
  };
  const rule = {
    allowedOrigins: system.server.url,
    allowedMethods: 'GET,HEAD,PUT',
    allowedHeaders: '',
    exposedHeaders: '',
  };
  await BlobServiceClient.fromConnectionString(azurite.connectionString()).setProperties({
    cors: [{ ...rule, maxAgeInSeconds: 60 }],
  });
});

afterAll(async () => {
  await servers.gs.stop();
  await system.stop();
  await Promise.all([lines.az.stop(), lines.gs.stop()]);
  await Promise.all([azurite.stop(), google.stop(), key.remove()]);
});

const patience = { timeout: 100_000 };
let visitor: Visitor;
let page: Page;

async function visit(at: Scheme): Promise<void> {
  visitor = await open(servers[at].url);
  ({ page } = visitor);
  await page.locator('.connection.live').waitFor();
}

const upload = () => page.locator('.upload');
const partOf = (url: string): string =>
  new URL(url).searchParams.get('partNumber') ?? new URL(url).searchParams.get('blockid') ?? '';

test.each(rowsExcept(['gs'], schemes))(
  'a file uploads straight to a store of %s:// and resumes after a lost connection, a pause and a reload',
  async (at) => {
    await visit(at);
    // Both servers list the runs of both.
    const file = join(folder, `to ${at}.wav`);
    await copyFile(wav, file);
    const name = basename(file);
    const stored: string[] = [];
    const elsewhere: string[] = [];
    page.on('requestfinished', async (request) => {
      const { origin, pathname } = new URL(request.url());
      const status = (await request.response())?.status();
      if (origin === lines[at].url && request.method() === 'PUT' && [200, 201].includes(status ?? 0)) {
        stored.push(partOf(request.url()));
      } else if (/^\/api\/uploads(?!\/s3)/.test(pathname)) elsewhere.push(pathname);
    });
    lines[at].failNext(/^PUT /, { kind: 'cut_request', bytes: 100_000 });
    const lift = await limitUpload(page, 2_000_000);
    const broken = page.waitForEvent('requestfailed');
    await startFiles(page, file);
    await broken;
    // The last part is the smallest and completes first.
    await expect.poll(() => stored.length, patience).toBe(1);
    await page.getByRole('button', { name: `Pause: ${name}` }).click();
    await upload().getByText('Paused').waitFor();

    await page.reload();
    await lift();
    await startFiles(page, file);
    await page.locator('.row.succeeded', { hasText: name }).waitFor();
    expect(new Set(stored).size).toBe(3);
    expect(stored).toHaveLength(3);
    expect(elsewhere).toEqual([]);
    await page.getByRole('link', { name, exact: true }).click();
    await page.getByRole('button', { name: 'Play' }).waitFor();
    // The source plays from the store.
    const played = String(await page.evaluate(`document.querySelector('audio').src`));
    expect(played.startsWith(lines[at].url)).toBe(true);
    const answer = await fetch(played);
    expect(Buffer.from(await answer.arrayBuffer()).equals(await readFile(wav))).toBe(true);
  },
  300_000,
);

matrixTest.each(schemes)(
  'a finished upload to a store of %s:// waits for a choice, also after a reload',
  async (at) => {
    await visit(at);
    const file = join(folder, `later to ${at}.wav`);
    await copyFile(speechWav, file);
    await page.locator('.drop input[type=file]').setInputFiles(file);
    await chooserOf(page).waitFor();
    await page.keyboard.press('Escape');
    await expectKept(page, file);
    await page.getByRole('button', { name: `Discard: later to ${at}.wav` }).click();
    await expect.poll(() => upload().count()).toBe(0);
    await page.reload();
    await page.locator('.connection.live').waitFor();
    expect(await page.evaluate(`Object.keys(localStorage).filter((key) => key.includes('later to'))`)).toEqual([]);
  },
);

test.each(schemes)('cancelling an upload removes its parts from a store of %s://', async (at) => {
  await visit(at);
  await limitUpload(page, 2_000_000);
  const first = page.waitForResponse((response) => response.request().method() === 'PUT' && response.ok(), patience);
  await startFiles(page, wav);
  const part = new URL((await first).url());
  await page.getByRole('button', { name: `Pause: ${basename(wav)}` }).click();
  const removed = page.waitForResponse((response) => response.request().method() === 'DELETE', patience);
  await page.getByRole('button', { name: `Cancel: ${basename(wav)}` }).click();
  expect((await removed).status()).toBe(204);
  await expect.poll(() => upload().count()).toBe(0);
  if (at === 'gs') {
    const url = `gs:/${decodeURIComponent(part.pathname)}`;
    const uploadId = part.searchParams.get('uploadId') ?? '';
    const store = await openStores(variables, 600).at(url);
    if (store?.kind !== 'signing') throw new Error('The store signs nothing');
    expect(await store.listParts(url, uploadId, AbortSignal.timeout(30_000))).toBeUndefined();
    return;
  }
  const service = BlobServiceClient.fromConnectionString(azurite.connectionString());
  const left = service.getContainerClient('media').listBlobsFlat({ prefix: 'uploads/', includeUncommitedBlobs: true });
  const names = [];
  for await (const { name } of left) names.push(name);
  expect(names.filter((blob) => part.pathname.endsWith(encodeURIComponent(blob.split('/').at(-1) ?? '')))).toEqual([]);
});
