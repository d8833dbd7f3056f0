import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAllowedAddresses, nothingAllowed } from '../../../network/address-guard.ts';
import { createLog } from '../../../process/log.ts';
import { createTransferCounters } from '../../../container/transfer/counters.ts';
import { digestFile } from '../../../container/transfer/digest.ts';
import { createMediaAgent } from '../../../container/transfer/http-agent.ts';
import { uploadToHttp } from '../../../container/transfer/upload-to-http.ts';
import { MediaServer } from '../../fixtures/media-server.ts';

const parsed = parseAllowedAddresses('127.0.0.1');
const agent = createMediaAgent(parsed.kind === 'allowed' ? parsed.allowed : nothingAllowed, 1);
let store: MediaServer;
let folder: string;

beforeAll(async () => {
  store = await MediaServer.start();
  folder = await mkdtemp(join(tmpdir(), 'holdfast-upload-'));
});
afterAll(async () => {
  await agent.destroy();
  await store.stop();
  await rm(folder, { recursive: true });
});

/** One PUT of a file of that size. */
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

test('a store may take longer to answer than to take a byte', async () => {
  const url = store.on('PUT /slow-answer', (request, response) => {
    request.resume().once('end', () => void delay(7000).then(() => response.end()));
  });
  // As long as this process may stand still before it has sent the bytes.
  await put(url, 100_000, { stallTimeoutMs: 6000, answerTimeoutMs: 60_000 });
  expect(store.count('PUT /slow-answer')).toBe(1);
});

test('a store that never answers has failed after the limit for its answer', async () => {
  const url = store.on('PUT /no-answer', (request) => void request.resume());
  await expect(put(url, 100_000, { stallTimeoutMs: 60_000, answerTimeoutMs: 300 })).rejects.toMatchObject({
    code: 'upload_failed',
    message: expect.stringContaining('took longer than 0.3 s to answer for'),
  });
});

test('a store that stops taking bytes has failed after the limit of a stall', async () => {
  const url = store.on('PUT /no-read', (request) => void request.pause());
  // More than sockets and their buffers hold.
  await expect(put(url, 32 * 1024 ** 2, { stallTimeoutMs: 500, answerTimeoutMs: 60_000 })).rejects.toMatchObject({
    code: 'upload_failed',
    message: expect.stringContaining('stopped taking'),
  });
});
