import { BlobServiceClient } from '@azure/storage-blob';
import { afterAll, expect, test } from 'vitest';
import { openStores } from '../../stores/backends.ts';
import { containerSide } from '../stores/conformance/container-side.ts';
import { createTestAgent, sha256Of } from '../container/transfer/ranged-source.ts';
import { startAzurite } from '../support/azurite.ts';
import { googleKeyFile, startFakeGcs } from '../support/google.ts';
import { RunHistory } from '../support/history.ts';
import { speechWav } from '../support/media.ts';
import { TestStack } from '../support/stack.ts';
import { usualPartSizes } from '../../contract/part-plan.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

const source = 'az://holdfasttest/media/in/talk #1, 100%.wav';
const dispatcher = createTestAgent(20);

const [azurite, gcs, key] = await Promise.all([
  stopAfterAll(startAzurite(['media'])),
  stopAfterAll(startFakeGcs(['results'])),
  stopAfterAll(googleKeyFile()),
]);
const settings = {
  AZURE_STORAGE_CONNECTION_STRING: azurite.connectionString(),
  GOOGLE_APPLICATION_CREDENTIALS: key.path,
  STORAGE_EMULATOR_HOST: gcs.endpoint,
};
const stores = openStores(settings, 600);
const stack = await stopAfterAll(TestStack.start({ workerEnvironment: settings }));
const service = BlobServiceClient.fromConnectionString(azurite.connectionString());
await service.getContainerClient('media').getBlockBlobClient('in/talk #1, 100%.wav').uploadFile(speechWav);
afterAll(() => dispatcher.destroy());

const read = async (url: string): Promise<Buffer> =>
  await containerSide(dispatcher, undefined, usualPartSizes).fetch(stores, url);

test('encodes from Azure to Google, and no key or signature enters the history', async () => {
  const uploadUrl = 'gs://results/out/talk #1, 100%.flac';
  const handle = await stack.run('encode', { sourceUrl: source, outputs: [{ format: 'flac', uploadUrl }] });
  const { outputs } = (await handle.result()) as { outputs: { sha256: string }[] };
  expect(sha256Of(await read(uploadUrl))).toBe(outputs[0]?.sha256);
  const history = (await RunHistory.of(handle)).text();
  expect(history.includes(source)).toBe(true);
  expect(history.match(/sig=|X-Goog-Signature|AccountKey|PRIVATE KEY/)).toBeNull();
});

test('cuts chunks from Google to Azure', async () => {
  const [encoded, prefix] = ['gs://results/out/talk.mp3', 'az://holdfasttest/media/chunks/'];
  await (
    await stack.run('encode', { sourceUrl: source, outputs: [{ format: 'mp3_64', uploadUrl: encoded }] })
  ).result();
  const handle = await stack.run('chunking', { sourceUrl: encoded, uploadUrlPrefix: prefix, chunkDuration: 10 });
  const { chunks } = (await handle.result()) as { chunks: { sha256: string; uploadUrl?: string; url?: string }[] };
  expect(chunks.length).toBeGreaterThan(0);
  for (const { sha256, uploadUrl, url } of chunks) expect(sha256Of(await read(uploadUrl ?? url ?? ''))).toBe(sha256);
});

test('processes a recording from Azure below a prefix of Google', async () => {
  const handle = await stack.run('processing', {
    sourceUrl: source,
    uploadUrlPrefix: 'gs://results/run/',
    chunkDuration: 10,
  });
  const result = JSON.stringify(await handle.result());
  const urls = [...result.matchAll(/gs:\/\/results\/run\/[^"]+/g)].map(([url]) => url);
  expect(urls.length).toBeGreaterThan(1);
  for (const url of new Set(urls)) expect((await read(url)).length).toBeGreaterThan(0);
});

test('fails at once if an Azure account is unknown', async () => {
  const uploadUrl = 'az://unknown/media/talk.mp3';
  const handle = await stack.run('encode', { sourceUrl: source, outputs: [{ format: 'mp3_64', uploadUrl }] });
  await expect(handle.result()).rejects.toMatchObject({
    cause: { message: expect.stringContaining('set AZURE_STORAGE_CONNECTION_STRING') },
  });
});
