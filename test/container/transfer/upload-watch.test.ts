import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { parseAllowedAddresses, nothingAllowed } from '../../../network/address-guard.ts';
import { createLog } from '../../../process/log.ts';
import { createTransferCounters } from '../../../container/transfer/counters.ts';
import { digestFile } from '../../../container/transfer/digest.ts';
import { createMediaAgent } from '../../../container/transfer/http-agent.ts';
import { uploadToHttp } from '../../../container/transfer/upload-to-http.ts';
import { UploadWatch } from '../../../container/transfer/upload-watch.ts';
import { MediaServer } from '../../fixtures/media-server.ts';
import { useFolder } from '../../support/folder.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

const parsed = parseAllowedAddresses('127.0.0.1');
const agent = createMediaAgent(parsed.kind === 'allowed' ? parsed.allowed : nothingAllowed, 1);
const folder = useFolder();

const store = await stopAfterAll(MediaServer.start());
afterAll(() => agent.destroy());

/** Sends one PUT with a file of this size. */
async function put(url: string, bytes: number, limits: { stallTimeoutMs: number; answerTimeoutMs: number }) {
  const path = join(folder, String(bytes));
  await writeFile(path, Buffer.alloc(bytes));
  const { signal } = new AbortController();
  const digest = await digestFile(path, signal, () => {});
  await uploadToHttp({ path, uploadUrl: url, contentType: 'audio/wav', digest }, new URL(url), {
    ...{ jobId: 'a-job', dispatcher: agent, mediaRoot: undefined, log: createLog('test', 'silent'), signal, limits },
    counters: createTransferCounters(),
    onProgress: () => {},
  });
}

test('gives a store longer to answer than to take bytes', async () => {
  const allSent = vi.spyOn(UploadWatch.prototype, 'noteAllSent');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const url = store.on('PUT /slow-answer', (request, response) => {
      const answerLate = async (): Promise<void> => {
        await vi.waitUntil(() => allSent.mock.calls.length === 1);
        vi.advanceTimersByTime(7_000);
        response.end();
      };
      request.resume().once('end', () => void answerLate());
    });
    await put(url, 100_000, { stallTimeoutMs: 6_000, answerTimeoutMs: 60_000 });
    expect(store.count('PUT /slow-answer')).toBe(1);
  } finally {
    vi.useRealTimers();
    allSent.mockRestore();
  }
});

test('fails an upload whose store does not answer in time', async () => {
  const url = store.on('PUT /no-answer', (request) => void request.resume());
  await expect(put(url, 100_000, { stallTimeoutMs: 60_000, answerTimeoutMs: 300 })).rejects.toMatchObject({
    code: 'upload_failed',
    message: expect.stringContaining('took longer than 0.3 s to answer for'),
  });
});

test('fails an upload whose store stops taking bytes', async () => {
  const url = store.on('PUT /no-read', (request) => void request.pause());
  // This exceeds the buffers of the sockets.
  await expect(put(url, 32 * 1024 ** 2, { stallTimeoutMs: 500, answerTimeoutMs: 60_000 })).rejects.toMatchObject({
    code: 'upload_failed',
    message: expect.stringContaining('stopped accepting'),
  });
});
