import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { createLog } from '../../../process/log.ts';
import { createTransferCounters } from '../../../container/transfer/counters.ts';
import { digestFile } from '../../../container/transfer/digest.ts';
import { uploadFile } from '../../../container/transfer/upload.ts';
import type { UploadOptions } from '../../../container/transfer/upload-options.ts';
import { MediaServer } from '../../fixtures/media-server.ts';
import { testFolder } from '../../support/folder.ts';
import { speechWav } from '../../support/media.ts';
import { stopAfterTest } from '../../support/stop-after-all.ts';

const optionsWith = (dispatcher: Dispatcher, onProgress: (bytes: number) => void = () => {}): UploadOptions => ({
  ...{ jobId: 'a-job', dispatcher, mediaRoot: undefined, log: createLog('test', 'silent'), onProgress },
  limits: { stallTimeoutMs: 30_000, answerTimeoutMs: 30_000 },
  counters: createTransferCounters(),
  signal: new AbortController().signal,
});

test('sends every byte of an upload whose connection opens late', async () => {
  const media = await stopAfterTest(MediaServer.start());
  const folder = testFolder();
  const connect = buildConnector({});
  const slowAgent = new Agent({
    connect(options, callback) {
      // An unpaused stream would have ended by then.
      void delay(200).then(() => connect(options, callback));
    },
  });
  onTestFinished(() => slowAgent.destroy());
  const [small, large] = [join(folder, 'small'), join(folder, 'large')];
  await writeFile(small, 'a few bytes');
  await copyFile(speechWav, large);
  for (const path of [small, large]) {
    const digest = await digestFile(path, new AbortController().signal, () => {});
    const sent: number[] = [];
    const file = { path, uploadUrl: `${media.url}/slow`, contentType: 'audio/wav', digest };
    await uploadFile(
      file,
      optionsWith(slowAgent, (bytes) => sent.push(bytes)),
    );
    expect(media.stored.get('/slow')?.body.length).toBe(digest.size);
    expect(media.stored.get('/slow')?.headers).toMatchObject({
      'content-length': String(digest.size),
      'content-md5': digest.md5Base64,
    });
    expect(sent.at(-1)).toBe(digest.size);
  }
});

test('does not believe a store that confirms a file before all bytes were sent', async () => {
  const media = await stopAfterTest(MediaServer.start());
  const folder = testFolder();
  const agent = new Agent();
  onTestFinished(() => agent.destroy());
  const path = join(folder, 'large');
  // This exceeds the buffers of the connection.
  await writeFile(path, Buffer.alloc(20_000_000));
  let puts = 0;
  const uploadUrl = media.on('PUT /hasty', async (request, response) => {
    puts += 1;
    // The first answer arrives before the bytes.
    if (puts > 1) for await (const _ of request);
    response.writeHead(200, { connection: 'close' }).end();
  });
  const digest = await digestFile(path, new AbortController().signal, () => {});
  await uploadFile({ path, uploadUrl, contentType: 'audio/wav', digest }, optionsWith(agent));
  expect(puts).toBe(2);
});
