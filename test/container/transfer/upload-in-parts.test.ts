import { randomBytes } from 'node:crypto';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import type { Dispatcher } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { createTransferCounters } from '../../../container/transfer/counters.ts';
import { targetOf } from '../../../container/transfer/delivery-target.ts';
import { uploadInParts } from '../../../container/transfer/upload-in-parts.ts';
import type { UploadOptions } from '../../../container/transfer/upload-options.ts';
import { planParts, usualPartSizes } from '../../../contract/part-plan.ts';
import { createLog } from '../../../process/log.ts';
import { MediaServer } from '../../fixtures/media-server.ts';
import type { Handler } from '../../support/loopback-server.ts';
import { useFolder } from '../../support/folder.ts';
import { createTestAgent } from './ranged-source.ts';
import { stopAfterTest } from '../../support/stop-after-all.ts';

const folder = useFolder();

const optionsOf = (dispatcher: Dispatcher, onProgress: UploadOptions['onProgress']): UploadOptions => ({
  ...{ jobId: 'a-job', dispatcher, mediaRoot: undefined, log: createLog('test', 'silent') },
  limits: { stallTimeoutMs: 30_000, answerTimeoutMs: 30_000 },
  counters: createTransferCounters(),
  signal: new AbortController().signal,
  onProgress,
});

test('sends the last part of a file of more than 6 GiB from its place', async () => {
  const server = await stopAfterTest(MediaServer.start());
  const dispatcher = createTestAgent(30);
  onTestFinished(() => dispatcher.destroy());
  const [size, end] = [6 * 1024 ** 3 + 100_000, randomBytes(100_000)];
  const path = join(folder, 'film.mp4');
  // The file system stores no byte of the gap before the end.
  const file = await open(path, 'w');
  await file.write(end, 0, end.length, size - end.length);
  await file.close();
  const { parts, partSize } = planParts(size, usualPartSizes) ?? { parts: 0, partSize: 0 };
  expect(parts).toBe(193);
  server.on('PUT /193', async (request, response) => {
    const sent = await buffer(request);
    response.writeHead(sent.equals(end) ? 200 : 400, { etag: '"last"' }).end();
  });
  let completed = '';
  const completeUrl = server.on('POST /complete', async (request, response) => {
    completed = await text(request);
    response.end('<CompleteMultipartUploadResult></CompleteMultipartUploadResult>');
  });
  const partUrls = Array.from({ length: parts }, (_, index) => `${server.url}/${index + 1}`);
  const target = targetOf({ output: 0, name: '', partUrls, partSize, completeUrl, abortUrl: `${server.url}/abort` });
  if (target.kind !== 'multipart') throw new Error('The target has no parts');
  const storedParts = new Map(partUrls.slice(0, -1).map((_, index) => [index, `"${index + 1}"`]));
  const sent: number[] = [];
  const options = optionsOf(dispatcher, (bytes) => sent.push(bytes));
  await uploadInParts({ path, contentType: 'video/mp4', digest: { size } }, target, storedParts, options);
  expect(server.requests).toEqual(['PUT /193', 'POST /complete']);
  expect(sent.at(-1)).toBe(size);
  expect(completed.match(/<Part>/g)).toHaveLength(193);
});

test('sends the first part before it has read the later parts for their digests', async () => {
  const server = await stopAfterTest(MediaServer.start());
  const dispatcher = createTestAgent(30);
  onTestFinished(() => dispatcher.destroy());
  const [partSize, parts] = [8 * 1024 ** 2, 4];
  const path = join(folder, 'short.mp4');
  // The last part is missing, so the attempt to read it for its digest ends the upload.
  const file = await open(path, 'w');
  await file.truncate(partSize * (parts - 1));
  await file.close();
  const partUrls = Array.from({ length: parts }, (_, index) =>
    server.on(`PUT /${index + 1}`, async (request, response) => {
      await buffer(request);
      response.writeHead(200, { etag: `"${index + 1}"` }).end();
    }),
  );
  const [completeUrl, abortUrl] = [`${server.url}/complete`, `${server.url}/abort`];
  const target = targetOf({ output: 0, name: '', partUrls, partSize, completeUrl, abortUrl });
  if (target.kind !== 'multipart') throw new Error('The target has no parts');
  const whole = { path, contentType: 'video/mp4', digest: { size: partSize * parts } };
  const upload = uploadInParts(
    whole,
    target,
    new Map(),
    optionsOf(dispatcher, () => {}),
  );
  await expect(upload).rejects.toThrow('The file is shorter than it was');
  expect(server.requests).toContain('PUT /1');
});

test('renewed URLs end an upload that the store had completed before its answer was lost', async () => {
  const server = await stopAfterTest(MediaServer.start());
  const dispatcher = createTestAgent(30);
  onTestFinished(() => dispatcher.destroy());
  const path = join(folder, 'completed.mp4');
  await writeFile(path, 'film');
  const [size, storedParts] = [4, new Map([[0, '"1"']])];
  const options = optionsOf(dispatcher, () => {});
  const upload = async (signature: number, answer: Handler): Promise<void> => {
    const completeUrl = server.on(`POST /complete-${signature}`, answer);
    const [partUrls, abortUrl] = [[`${server.url}/1`], `${server.url}/abort`];
    const target = targetOf({ output: 0, name: '', partUrls, partSize: 5 * 1024 ** 2, completeUrl, abortUrl });
    if (target.kind !== 'multipart') throw new Error('The target has no parts');
    await uploadInParts({ path, contentType: 'video/mp4', digest: { size } }, target, storedParts, options);
  };
  const expired = upload(1, (request, response) => {
    if (server.count('POST /complete-1') === 1) request.socket.destroy();
    else response.writeHead(403).end('<Error><Code>ExpiredToken</Code></Error>');
  });
  await expect(expired).rejects.toThrow('ExpiredToken');
  await upload(2, (_request, response) => void response.writeHead(404).end('<Error><Code>NoSuchUpload</Code></Error>'));
  expect(server.requests.filter((request) => request.startsWith('PUT'))).toEqual([]);
});
