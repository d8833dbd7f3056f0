import { truncate } from 'node:fs/promises';
import { buffer, text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { Delivery } from '../../../container/jobs/delivery.ts';
import type { DeliverableFile } from '../../../container/transfer/delivery.ts';
import { MediaServer } from '../../fixtures/media-server.ts';
import { useFolder } from '../../support/folder.ts';
import { stopAfterTest } from '../../support/stop-after-all.ts';
import { deliverInTest, makeDeliverableFiles } from './deliver-in-test.ts';

const scratch = useFolder();
const makeFiles = (names: readonly string[]) => makeDeliverableFiles(scratch, names);
const startDelivery = (files: readonly DeliverableFile[], urlsTimeoutSeconds?: number) =>
  deliverInTest(files, { scratch, media: undefined, urlsTimeoutSeconds });

/** A store that refuses one signature, once or always. The other requests succeed. */
async function expiringStore(when: string, { isAlways = false } = {}): Promise<MediaServer> {
  const store = await stopAfterTest(MediaServer.start());
  store.on(when, async (request, response) => {
    await buffer(request);
    if (isAlways || store.count(when) === 1) response.writeHead(403).end('<Error><Code>ExpiredToken</Code></Error>');
    else response.writeHead(200, { etag: '"renewed"' }).end();
  });
  return store;
}

const wantedNames = (delivery: Delivery): string[] => delivery.wanted().map(({ name }) => name);

/** Four uploads run at a time, so the last file waits for its turn. */
const fiveNames = ['1.m4s', '2.m4s', '3.m4s', '4.m4s', '5.m4s'];

/** Stores four of five files, and waits until the URL of the last one has expired. */
async function fiveFiles(store: MediaServer, urlsTimeoutSeconds?: number) {
  const { ended, delivery } = await startDelivery(await makeFiles(fiveNames), urlsTimeoutSeconds);
  const urls = fiveNames.map((name) => ({ output: 0, name, url: `${store.url}/${name}` }));
  const outcome = ended.then(() => 'succeeded', String);
  await delivery.accept(urls);
  await expect.poll(() => wantedNames(delivery)).toEqual(['5.m4s']);
  return { outcome, delivery, last: urls.slice(-1) };
}

test('asks for the URL of a file again if it expired while the file waited for its turn', async () => {
  const { outcome, delivery, last } = await fiveFiles(await expiringStore('PUT /5.m4s'));
  await delivery.accept(last);
  expect(await outcome).toBe('succeeded');
});

test.each([
  ['the store refuses the next URL, too,', true, 'ExpiredToken', 2],
  ['nobody answers', false, 'No upload URLs arrived for 1 seconds', 1],
])('fails if %s after the URL of a file has expired', async (_what, isAnswered, reason, requests) => {
  const store = await expiringStore('PUT /5.m4s', { isAlways: true });
  const { outcome, delivery, last } = await fiveFiles(store, isAnswered ? undefined : 1);
  if (isAnswered) await delivery.accept(last);
  expect(await outcome).toContain(reason);
  expect(store.count('PUT /5.m4s')).toBe(requests);
});

test('fails at once if the store refuses a URL before anything is stored', async () => {
  const store = await expiringStore('PUT /1.m4s');
  const { ended, delivery } = await startDelivery(await makeFiles(['1.m4s']));
  const failure = expect(ended).rejects.toThrow('ExpiredToken');
  await delivery.accept([{ output: 0, name: '1.m4s', url: `${store.url}/1.m4s` }]);
  await failure;
});

test('fails at once if the store refuses a URL of the request, also after other files are stored', async () => {
  const store = await expiringStore('PUT /5.m4s');
  const files = (await makeFiles(fiveNames)).map((file) => ({
    ...file,
    target: { kind: 'single' as const, url: `${store.url}/${file.name}` },
  }));
  await expect(startDelivery(files)).rejects.toThrow('ExpiredToken');
});

test('continues an upload with new URLs if the signature of a later part has expired', async () => {
  const store = await expiringStore('PUT /5');
  const [file] = await makeFiles(['1.mp4']);
  if (file === undefined) throw new Error('no file');
  const [partSize, numbers] = [5 * 1024 ** 2, [1, 2, 3, 4, 5]];
  const size = partSize * numbers.length;
  await truncate(file.path, size);
  for (const number of numbers.slice(0, -1)) {
    store.on(`PUT /${number}`, async (request, response) => {
      await buffer(request);
      response.writeHead(200, { etag: `"${number}"` }).end();
    });
  }
  let completed = '';
  const completeUrl = store.on('POST /1.mp4', async (request, response) => {
    completed = await text(request);
    response.end('<CompleteMultipartUploadResult/>');
  });
  const { ended, delivery } = await startDelivery([{ ...file, digest: { ...file.digest, size } }]);
  const give = async (signature: string) => {
    const partUrls = numbers.map((number) => `${store.url}/${number}?X-Amz-Signature=${signature}`);
    const upload = { partUrls, partSize, completeUrl, abortUrl: `${completeUrl}?uploadId=1` };
    await delivery.accept([{ output: 0, name: '1.mp4', ...upload }]);
  };
  await give('expired');
  // Four parts are sent at a time, so one of them was stored before the fifth began.
  await expect.poll(() => wantedNames(delivery)).toEqual(['1.mp4']);
  const sent = numbers.filter((number) => store.count(`PUT /${number}`) === 1);
  await give('new');
  await ended;
  expect(completed).toContain('renewed');
  expect(sent.some((number) => number < 5 && store.count(`PUT /${number}`) === 1)).toBe(true);
  expect(store.count('DELETE /1.mp4')).toBe(0);
});
