import { afterEach, beforeEach, expect, test } from 'vitest';
import { openGoogleStore } from '../../../stores/google/google-store.ts';
import type { SigningStore } from '../../../stores/store.ts';
import { MediaServer } from '../../fixtures/media-server.ts';
import type { Handler } from '../../support/loopback-server.ts';
import { googleKeyFile } from '../../support/google.ts';

const url = 'gs://media/film.mp4';
const signal = AbortSignal.timeout(60_000);

let server: MediaServer;
let key: Awaited<ReturnType<typeof googleKeyFile>>;
let store: SigningStore;
beforeEach(async () => {
  [server, key] = await Promise.all([MediaServer.start(), googleKeyFile()]);
  store = openGoogleStore({ GOOGLE_APPLICATION_CREDENTIALS: key.path, STORAGE_EMULATOR_HOST: server.url }, 600);
});
afterEach(async () => {
  await server.stop();
  await key.remove();
});

test('ignores an upload that has ended, and reports one that the account may not abort', async () => {
  const answers = [
    [404, 'NoSuchUpload'],
    [403, 'AccessDenied'],
  ] as const;
  for (const method of ['GET', 'DELETE']) {
    const pending = [...answers];
    server.on(`${method} /media/film.mp4`, (_, response) => {
      const [status, code] = pending.shift() ?? [500, 'InternalError'];
      response.writeHead(status).end(`<?xml version='1.0' encoding='UTF-8'?><Error><Code>${code}</Code></Error>`);
    });
  }
  const denied = { message: `The store answered 403 (AccessDenied) for ${url}`, passing: false };
  await store.abortUpload(url, 'an-upload', signal);
  await expect(store.abortUpload(url, 'an-upload', signal)).rejects.toMatchObject(denied);
  expect(await store.listParts(url, 'an-upload', signal)).toBeUndefined();
  await expect(store.listParts(url, 'an-upload', signal)).rejects.toMatchObject(denied);
});

test('reports neither a size nor a missing file if the store denies access or sends no length', async () => {
  const answerWith = (status: number) =>
    server.on('HEAD /media/film.mp4', (_, response) => {
      response.writeHead(status).end();
    });
  answerWith(403);
  await expect(store.sizeOf(url, signal)).rejects.toMatchObject({ message: `The store answered 403 for ${url}` });
  // As for a file that Google decompresses: without a length.
  answerWith(200);
  await expect(store.sizeOf(url, signal)).rejects.toThrow('does not report the length');
  answerWith(404);
  expect(await store.sizeOf(url, signal)).toBeUndefined();
});

test('lists parts and unfinished uploads to the end of the last page', async () => {
  const time = '2026-11-28T01:02:03Z';
  const partOf = (part: number) =>
    `<Part><PartNumber>${part}</PartNumber><LastModified>${time}</LastModified><ETag>&quot;e${part}&quot;</ETag><Size>8388608</Size></Part>`;
  const uploadOf = (name: string) =>
    `<Upload><Key>in/${name}</Key><UploadId>id-${name}</UploadId><Initiated>${time}</Initiated></Upload>`;
  const asked: string[] = [];
  const answerBy = (parameter: string, pages: Record<string, string>) =>
    ((request, response) => {
      const marker = new URL(request.url ?? '/', server.url).searchParams.get(parameter) ?? '';
      asked.push(marker);
      response.end(pages[marker]);
    }) satisfies Handler;
  server.on(
    'GET /media/film.mp4',
    answerBy('part-number-marker', {
      0: `<r><IsTruncated>true</IsTruncated><NextPartNumberMarker>2</NextPartNumberMarker>${partOf(1)}${partOf(2)}</r>`,
      2: `<r><IsTruncated>false</IsTruncated>${partOf(3)}</r>`,
    }),
  );
  const more = '<IsTruncated>true</IsTruncated><NextKeyMarker>in/a &amp; b</NextKeyMarker>';
  server.on(
    'GET /media/',
    answerBy('key-marker', {
      '': `<r>${more}<NextUploadIdMarker>id-a &amp; b</NextUploadIdMarker>${uploadOf('a &amp; b')}</r>`,
      'in/a & b': `<r><IsTruncated>false</IsTruncated>${uploadOf('c')}</r>`,
    }),
  );
  const parts = await store.listParts(url, 'an-upload', signal);
  const storedAtMs = Date.parse(time);
  expect(parts?.map(({ part, etag, storedAtMs: at }) => [part, etag, at])).toEqual([
    [1, '"e1"', storedAtMs],
    [2, '"e2"', storedAtMs],
    [3, '"e3"', storedAtMs],
  ]);
  const uploads = await store.listUploads('gs://media/in/', signal);
  expect(uploads.map(({ url: found, uploadId }) => [found, uploadId])).toEqual([
    ['gs://media/in/a & b', 'id-a & b'],
    ['gs://media/in/c', 'id-c'],
  ]);
  expect(asked).toEqual(['0', '2', '', 'in/a & b']);
});
