import { expect, test } from 'vitest';
import {
  answer,
  busy,
  chunkResult,
  errorAnswer,
  metadataResult,
  ScriptedContainer,
  type Script,
} from '../../fixtures/scripted-container.ts';
import { failureOf, TestAttempt } from '../../support/attempt.ts';
import { stopAfterTest } from '../../support/stop-after-all.ts';

let container: ScriptedContainer | undefined;
async function attemptAt(script: Script, state = {}): Promise<TestAttempt> {
  container = await stopAfterTest(ScriptedContainer.start(script));
  return new TestAttempt(container.url, { context: { state } });
}

function countPostedChunks() {
  return container?.requestsTo('POST', '/chunk').map((request) => request.body.chunks.length);
}

const prefix = { uploadUrlPrefix: 'file:///out/' };
const metadata = answer(200, metadataResult);

test('plans the chunks that the source needs, each with a URL', async () => {
  const attempt = await attemptAt(({ path }) => (path === '/metadata' ? metadata : answer(200, chunkResult(3))));
  const result = await attempt.chunk(prefix);
  expect(result.chunks?.map((chunk) => chunk.url)).toEqual([
    'file:///out/chunk-00000.mp3',
    'file:///out/chunk-00001.mp3',
    'file:///out/chunk-00002.mp3',
  ]);
  expect(container?.requestsTo('POST', '/chunk')[0]?.body).toEqual({
    sourceUrl: 'file:///in.mp3',
    chunkDuration: 60,
    overlapDuration: 2,
    chunks: [0, 1, 2].map((index) => ({ index, uploadUrl: `file:///out/chunk-0000${index}.mp3` })),
    list: { uploadUrl: 'file:///out/chunks.json' },
  });
});

test('uses the caller’s upload URLs unchanged, without a probe, and omits them from the result', async () => {
  const attempt = await attemptAt(() => answer(200, chunkResult(1)));
  const result = await attempt.chunk({ chunks: [{ index: 0, uploadUrl: 'https://m.test/0?sig=1' }] });
  expect(container?.requestsTo('POST', '/metadata')).toEqual([]);
  expect(result.chunks).toEqual(chunkResult(1).chunks);
});

test('the probe result survives a busy container for the next attempt', async () => {
  const attempt = await attemptAt(({ path }) => (path === '/metadata' ? metadata : busy()));
  const { facts } = await failureOf(attempt.chunk(prefix));
  expect(facts.state).toEqual({ probed: { durationSeconds: 130, codec: 'mp3' } });
  await container?.stop();
  const next = await attemptAt(() => answer(200, chunkResult(3)), facts.state);
  await next.chunk(prefix);
  expect(container?.requestsTo('POST', '/metadata')).toEqual([]);
});

test('accepts the container’s count of chunks once per attempt', async () => {
  const mismatch = (needed: number) => errorAnswer(422, 'chunk_count_mismatch', { needed });
  const attempt = await attemptAt(({ path }, index) => {
    if (path === '/metadata') return metadata;
    return index === 0 ? mismatch(4) : answer(200, chunkResult(4));
  });
  expect((await attempt.chunk(prefix)).chunks?.[3]?.url).toBe('file:///out/chunk-00003.mp3');
  expect(countPostedChunks()).toEqual([3, 4]);
  await container?.stop();
  const again = await attemptAt(({ path }, index) => (path === '/metadata' ? metadata : mismatch(4 + index)));
  expect(await failureOf(again.chunk(prefix))).toMatchObject({ type: 'ChunkCountMismatch' });
  expect(countPostedChunks()).toEqual([3, 4]);
  await container?.stop();
  const callers = await attemptAt(() => mismatch(4));
  const chunks = [{ index: 0, uploadUrl: 'file:///0.mp3' }];
  expect(await failureOf(callers.chunk({ chunks }))).toMatchObject({
    type: 'ChunkCountMismatch',
    facts: { details: { needed: 4 } },
  });
});

test.each([
  ['more chunks than a list can have', { durationSeconds: 3600, chunkDuration: 60, overlapDuration: 60 - 2 ** -30 }],
  ['one chunk more than possible', { durationSeconds: 10_000.1, chunkDuration: 1, overlapDuration: 0 }],
])('refuses %s without a request to the container', async (_, { durationSeconds, ...figures }) => {
  const attempt = await attemptAt(() => answer(200, chunkResult(1)), { probed: { durationSeconds, codec: 'mp3' } });
  expect(await failureOf(attempt.chunk({ ...prefix, ...figures }))).toMatchObject({
    type: 'InvalidRequest',
    message: expect.stringMatching(/^The source of .* s needs \d+ chunks, and 10000 are possible\./),
  });
  expect(countPostedChunks()).toEqual([]);
});

test('a source that cannot be probed fails with the container’s code', async () => {
  const attempt = await attemptAt(() => errorAnswer(422, 'undecodable_source'));
  expect(await failureOf(attempt.chunk(prefix))).toMatchObject({ type: 'UndecodableSource' });
});
