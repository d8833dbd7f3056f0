import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ChunkList } from '../../../../contract/chunk-list.ts';
import { ChunkResult } from '../../../../contract/http/chunk.ts';
import { MediaServer } from '../../../fixtures/media-server.ts';
import { TestContainer } from '../../../support/container.ts';
import { makeMedia } from '../../../support/media-files.ts';
import { stopAfterAll } from '../../../support/stop-after-all.ts';

const [container, store] = await Promise.all([stopAfterAll(TestContainer.start()), stopAfterAll(MediaServer.start())]);
await makeMedia(container.mediaRoot, 'in.wav', '-f', 'lavfi', '-i', 'sine=r=8000:d=9');

function request(urlOf: (name: string) => string, list: object) {
  const chunks = [0, 1, 2].map((index) => ({ index, uploadUrl: urlOf(`piece ${index}.wav`) }));
  return { sourceUrl: container.fileUrl('in.wav'), chunkDuration: 4, overlapDuration: 1, chunks, list };
}

test('lists each chunk by file with the facts of the answer and the data of the caller', async () => {
  const about = { run: 'of mine', chunkDuration: 4 };
  const list = { uploadUrl: container.fileUrl('listed/chunks.json'), about };
  const answer = await container.call(
    'POST',
    '/chunk',
    request((name) => container.fileUrl(`listed/${name}`), list),
  );
  const result = ChunkResult.parse(answer.body);
  const stored = await readFile(join(container.mediaRoot, 'listed/chunks.json'), 'utf8');
  expect(ChunkList.parse(JSON.parse(stored))).toEqual({
    ...{ version: 1, about, identity: result.identity, totalChunks: 3, totalDuration: 9 },
    chunks: result.chunks?.map((chunk) => ({ ...chunk, file: `piece ${chunk.index}.wav` })),
  });
  expect(result.chunks).toHaveLength(3);
  expect(result.list?.size).toBe(stored.length);
});

test('stores the list after every chunk, and keeps signatures of URLs out of it', async () => {
  const urlOf = (name: string) => `${store.url}/signed/${encodeURIComponent(name)}?X-Amz-Signature=secret/signature`;
  const answer = await container.call('POST', '/chunk', request(urlOf, { uploadUrl: urlOf('chunks.json') }));
  expect(answer.status).toBe(200);
  expect(store.requests.at(-1)).toBe('PUT /signed/chunks.json');
  const { body, headers } = store.stored.get('/signed/chunks.json') ?? { body: Buffer.of(), headers: {} };
  expect(headers['content-type']).toBe('application/json');
  expect(ChunkList.parse(JSON.parse(body.toString())).chunks.map(({ file }) => file)).toEqual(
    [0, 1, 2].map((index) => `piece ${index}.wav`),
  );
  expect(body.toString()).not.toMatch(/Signature|secret/i);
});

test.each([
  ['piece 1.wav', 1],
  ['chunks.json', 3],
])('fails the job, names the refused %s and its index %i, and removes what was stored', async (refused, output) => {
  const refusing = store.on('PUT /refused', (_, response) => void response.writeHead(403).end());
  const urlOf = (name: string) => (name === refused ? refusing : container.fileUrl(`lost/${name}`));
  const answer = await container.call('POST', '/chunk', request(urlOf, { uploadUrl: urlOf('chunks.json') }));
  expect(answer).toMatchObject({ status: 422, body: { code: 'upload_refused', details: { output } } });
  expect(answer.body.error).toContain('/refused');
  expect(existsSync(join(container.mediaRoot, 'lost'))).toBe(false);
});

test('removes the chunks of a job that is cancelled while it stores their list', async () => {
  const list = { uploadUrl: store.on('PUT /never.json', () => {}) };
  const urlOf = (name: string) => container.fileUrl(`stopped/${name}`);
  const jobId = await container.submit('/chunk', request(urlOf, list));
  await expect.poll(() => store.count('PUT /never.json')).toBe(1);
  expect(existsSync(join(container.mediaRoot, 'stopped/piece 2.wav'))).toBe(true);
  expect((await container.call('DELETE', `/jobs/${jobId}`)).body.state).toBe('cancelled');
  expect(existsSync(join(container.mediaRoot, 'stopped'))).toBe(false);
});

test('rejects a list that would replace a chunk or goes to a forbidden place', async () => {
  const urlOf = (name: string) => container.fileUrl(`same/${name}`);
  const same = await container.call('POST', '/chunk', request(urlOf, { uploadUrl: urlOf('piece 1.wav') }));
  expect(same).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  expect(same.body.error).toContain('list.uploadUrl: goes to the place of a chunk');
  const outside = await container.call('POST', '/chunk', request(urlOf, { uploadUrl: 'file:///etc/chunks.json' }));
  expect(outside).toMatchObject({ status: 403, body: { code: 'upload_forbidden' } });
});
