import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, buildConnector } from 'undici';
import { expect, test } from 'vitest';
import { createLog } from '../../../container/log.ts';
import { digestFile } from '../../../container/transfer/digest.ts';
import { uploadFile } from '../../../container/transfer/upload.ts';
import { MediaServer } from '../../fixtures/media-server.ts';
import { speechWav } from '../../support/media.ts';

test('an upload whose connection opens late still sends every byte', async () => {
  const media = await MediaServer.start();
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-upload-'));
  const connect = buildConnector({});
  const slowAgent = new Agent({
    connect(options, callback) {
      // Long enough for a stream that nobody holds back to have run dry.
      void delay(200).then(() => connect(options, callback));
    },
  });
  try {
    const [small, large] = [join(folder, 'small'), join(folder, 'large')];
    await writeFile(small, 'a few bytes');
    await copyFile(speechWav, large);
    for (const path of [small, large]) {
      const { signal } = new AbortController();
      const digest = await digestFile(path, signal, () => {});
      const sent: number[] = [];
      await uploadFile(
        { path, uploadUrl: `${media.url}/slow`, contentType: 'audio/wav', digest },
        {
          jobId: 'a-job',
          dispatcher: slowAgent,
          mediaRoot: undefined,
          limits: { stallTimeoutMs: 30_000, answerTimeoutMs: 30_000 },
          log: createLog('silent'),
          signal,
          onProgress: (bytes) => sent.push(bytes),
        },
      );
      expect(media.stored.get('/slow')?.body.length).toBe(digest.size);
      expect(media.stored.get('/slow')?.headers).toMatchObject({
        'content-length': String(digest.size),
        'content-md5': digest.md5Base64,
      });
      expect(sent.at(-1)).toBe(digest.size);
    }
  } finally {
    await slowAgent.destroy();
    await media.stop();
    await rm(folder, { recursive: true });
  }
});
