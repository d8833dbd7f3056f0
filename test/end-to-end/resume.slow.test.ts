import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ChunkList } from '../../contract/chunk-list.ts';
import { ChunkingOutcome } from '../../contract/workflow/chunking.ts';
import { ProcessingOutcome } from '../../contract/workflow/processing.ts';
import { transcription, TranscriptionServer, type TranscriptionReply } from '../fixtures/transcription-server.ts';
import { longWav, musicOgg } from '../support/media.ts';
import { matrixTest } from '../support/rows.ts';
import { startS3 } from '../support/s3.ts';
import { s3Client } from '../support/s3-client.ts';
import { TestContainer } from '../support/container.ts';
import { TestStack } from '../support/stack.ts';
import { readTranscript } from './stored-outcome.ts';
import { useFolder } from '../support/folder.ts';
import { endAfterAll, stopAfterAll } from '../support/stop-after-all.ts';

// A second run on the prefix of a first, with real files in a real store. The targets count calls and jobs.

const folder = useFolder();

/** One word in the middle of each chunk, outside all overlaps. */
function spoken({ index }: { index: number }): TranscriptionReply {
  return { kind: 'answer', body: transcription([{ start: 4, end: 5, text: `w${index}` }]) };
}

const refused = { kind: 'answer', status: 400, body: { error: { message: 'Not this one', type: 'invalid' } } } as const;

const s3 = await stopAfterAll(startS3(['media']));
const provider = await stopAfterAll(TranscriptionServer.start(spoken));
const limits = { maxConcurrent: 20, requestsPerMinute: 6_000, requestsPerHour: 100_000, burstLimit: 100 };
const whisper = { kind: 'openai-transcription', url: provider.url, limits };
const providersFile = join(folder, 'providers.json');
await writeFile(
  providersFile,
  JSON.stringify({ 'test/one': { ...whisper, translationUrl: provider.translationUrl }, 'test/two': whisper }),
);
const stack = await stopAfterAll(
  TestStack.start({ workerEnvironment: { ...s3.environment, PROVIDERS_FILE: providersFile } }),
);
const store = s3Client(s3);
endAfterAll(async () => store.destroy());
await put('speech.wav', await readFile(await longWav({ seconds: 40, sampleRate: 8_000 })));

function inStore(path: string): string {
  return join(s3.folder, 'media', path);
}

function input(prefix: string, more: object = {}) {
  const settings = { chunkDuration: 10, overlapDuration: 2, provider: 'test/one' };
  return { sourceUrl: 's3://media/speech.wav', uploadUrlPrefix: `s3://media/${prefix}/`, ...settings, ...more };
}

/** Runs and returns the started jobs by kind and the chunks sent to the provider. */
async function run(prefix: string, more: object = {}) {
  const before = stack.container.process.messages().length;
  const handle = await stack.run('processing', input(prefix, more));
  const outcome = ProcessingOutcome.parse(await handle.result());
  const called = provider.calls.map(({ index }) => index).toSorted((a, b) => a - b);
  const paths = [...new Set(provider.calls.map(({ path }) => path))];
  provider.reset(spoken);
  return { outcome, called, paths, jobs: jobsSince(before) };
}

function jobsSince(before: number): string[] {
  const messages = stack.container.process.messages().slice(before);
  return messages.flatMap((line) => /^\[JOB_START\] Started (\w+) job/.exec(line)?.[1] ?? []);
}

// Uses the S3 API, because the server caches the contents of its folders.
async function put(key: string, body: Buffer | string): Promise<void> {
  await store.send(new PutObjectCommand({ Bucket: 'media', Key: key, Body: body }));
}

async function remove(key: string): Promise<void> {
  await store.send(new DeleteObjectCommand({ Bucket: 'media', Key: key }));
}

async function changeByte(key: string): Promise<void> {
  const bytes = await readFile(inStore(key));
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 0xff;
  await put(key, bytes);
}

async function changedAt(key: string): Promise<number> {
  return (await stat(inStore(key))).mtimeMs;
}

async function listOf(prefix: string): Promise<ChunkList> {
  return ChunkList.parse(JSON.parse(await readFile(inStore(`${prefix}/chunks.json`), 'utf8')));
}

const chunkCount = 5;
const all = [0, 1, 2, 3, 4];
const allWords = 'w0 w1 w2 w3 w4';

test('a second run encodes and cuts nothing and pays only for the missing chunk', async () => {
  provider.reset((call) => (call.index === 3 ? refused : spoken(call)));
  const first = await run('paid');
  expect(first).toMatchObject({ called: all, jobs: ['encoding', 'chunking'], outcome: { status: 'partial' } });
  const listed = await listOf('paid');
  expect(listed.chunks.map(({ status }) => status)).toEqual([
    'completed',
    'completed',
    'completed',
    'failed',
    'completed',
  ]);

  const second = await run('paid', { resume: true });
  expect(second).toMatchObject({ called: [3], jobs: [], outcome: { status: 'completed', totalChunks: chunkCount } });
  expect(second.outcome.encoded).toEqual(first.outcome.encoded);
  expect(second.outcome.chunks?.map(({ sha256 }) => sha256)).toEqual(first.outcome.chunks?.map(({ sha256 }) => sha256));
  expect(await readTranscript(s3, 's3://media/paid/transcript.json')).toMatchObject({ text: allWords, complete: true });
  expect((await listOf('paid')).chunks.every(({ status }) => status === 'completed')).toBe(true);

  const third = await run('paid', { resume: true });
  expect(third).toMatchObject({ called: [], jobs: [], outcome: { status: 'completed' } });
});

test('a run pays for no answer of an earlier one that resumed a result', async () => {
  provider.reset((call) => (call.index === 3 ? refused : spoken(call)));
  const { outcome: resume } = await run('result');
  expect(await run('result', { resume })).toMatchObject({ called: [3], outcome: { status: 'completed' } });
  expect(await run('result', { resume: true })).toMatchObject({ called: [], jobs: [] });
});

test('after worker and run are killed during calls, answered chunks are not cut, uploaded or paid for again', async () => {
  const answered = [0, 1, 2];
  provider.reset((call) => (answered.includes(call.index) ? spoken(call) : { kind: 'hang' }));
  const killed = await stack.run('processing', input('killed'));
  await stack.worker.until('three stored answers and two open calls', async () => {
    const names: string[] = await readdir(inStore('killed')).catch(() => []);
    const areStored = answered.every((index) => names.includes(`chunk-0000${index}.json`));
    return areStored && provider.calls.length === chunkCount;
  });
  await stack.worker.stop('SIGKILL');
  await killed.terminate('The machine is gone');
  await stack.startWorker();
  const chunkTimes = async () =>
    Promise.all((await listOf('killed')).chunks.map(({ file }) => changedAt(`killed/${file}`)));
  const before = await chunkTimes();
  provider.reset(spoken);

  const second = await run('killed', { resume: true });
  expect(second).toMatchObject({ called: [3, 4], jobs: [], outcome: { status: 'completed' } });
  expect(await chunkTimes()).toEqual(before);
  expect(await readTranscript(s3, 's3://media/killed/transcript.json')).toMatchObject({
    text: allWords,
    complete: true,
  });
});

test('a second run cuts only damaged and missing chunks and pays for no answer twice', async () => {
  await run('damaged');
  const before = await listOf('damaged');
  const [kept = ''] = before.chunks.map(({ file }) => file);
  const keptAt = await changedAt(`damaged/${kept}`);
  await changeByte(`damaged/${before.chunks[2]?.file}`);
  await remove(`damaged/${before.chunks[4]?.file}`);

  const second = await run('damaged', { resume: true });
  expect(second).toMatchObject({ called: [], jobs: ['chunking'], outcome: { status: 'completed' } });
  expect(await changedAt(`damaged/${kept}`)).toBe(keptAt);
  const after = await listOf('damaged');
  expect(after.chunks.map(({ start, duration }) => [start, duration])).toEqual(
    before.chunks.map(({ start, duration }) => [start, duration]),
  );
  for (const { file, size } of after.chunks) expect((await stat(inStore(`damaged/${file}`))).size).toBe(size);
  expect(await run('damaged', { resume: true })).toMatchObject({ called: [], jobs: [] });
});

matrixTest('a second run repeats lost and unreadable answers and ignores those of other providers', async () => {
  await run('answers');
  await remove('answers/chunk-00001.json');
  await put('answers/chunk-00002.json', '{"provider":');
  expect(await run('answers', { resume: true })).toMatchObject({ called: [1, 2], jobs: [] });
  expect(await run('answers', { resume: true, provider: 'test/two' })).toMatchObject({ called: all, jobs: [] });
});

matrixTest('translates all chunks of a run that did not translate, and transcribes them again without', async () => {
  const heard = transcription([{ start: 4, end: 5, text: 'gut' }]) as object;
  const german = () => ({ kind: 'answer' as const, body: { ...heard, language: 'german' } });
  const language = async () => (await readTranscript(s3, 's3://media/english/transcript.json')).language;
  provider.reset(german);
  expect(await run('english')).toMatchObject({ paths: ['/v1/audio/transcriptions'] });
  expect(await language()).toBe('de');
  const translating = { resume: true, translate: true };
  provider.reset(german);
  expect(await run('english', translating)).toMatchObject({ called: all, jobs: [], paths: ['/v1/audio/translations'] });
  expect(await language()).toBe('en');
  expect(await run('english', translating)).toMatchObject({ called: [], jobs: [] });
  provider.reset(german);
  expect(await run('english', { resume: true })).toMatchObject({ called: all, jobs: [] });
  expect(await language()).toBe('de');
});

test('encodes nothing if a provider of the run cannot translate', async () => {
  const before = stack.container.process.messages().length;
  const handle = await stack.run('processing', input('x', { provider: ['test/one', 'test/two'], translate: true }));
  const failure: unknown = await handle.result().catch((error: unknown) => error);
  const message = "The provider test/two cannot translate; of this worker's providers, test/one can";
  expect((failure as Error).cause).toMatchObject({ type: 'UnknownProvider', message });
  expect(jobsSince(before)).toEqual([]);
});

matrixTest('a second run repeats a damaged encode and keeps chunks and answers of the same source', async () => {
  await run('encoded');
  await changeByte('encoded/encoded.ogg');
  const second = await run('encoded', { resume: true });
  expect(second).toMatchObject({ called: [], jobs: ['encoding', 'chunking'], outcome: { status: 'completed' } });
  expect(await run('encoded', { resume: true })).toMatchObject({ called: [], jobs: [] });
});

test('a changed source or setting starts over without reusing earlier results', async () => {
  await put('changing.wav', await readFile(inStore('speech.wav')));
  const changing = { sourceUrl: 's3://media/changing.wav' };
  await run('anew', changing);
  const before = await listOf('anew');
  // The file keeps its length but gets another sound.
  const bytes = await readFile(inStore('changing.wav'));
  bytes.subarray(bytes.length >> 1).reverse();
  await put('changing.wav', bytes);
  const changed = await run('anew', { ...changing, resume: true });
  expect(changed).toMatchObject({ called: all, jobs: ['encoding', 'chunking'], outcome: { status: 'completed' } });
  const after = await listOf('anew');
  expect(after.about?.['setId']).not.toBe(before.about?.['setId']);
  expect(after.chunks.map(({ sha256 }) => sha256)).not.toEqual(before.chunks.map(({ sha256 }) => sha256));

  const shorter = await run('anew', { ...changing, chunkDuration: 8, resume: true });
  expect(shorter).toMatchObject({ called: [0, 1, 2, 3, 4, 5, 6], jobs: ['encoding', 'chunking'] });
});

matrixTest('ignores answers to chunks of an earlier source after a reset run has cut again', async () => {
  await put('reset.wav', await readFile(inStore('speech.wav')));
  const reset = { sourceUrl: 's3://media/reset.wav' };
  const handle = await stack.run('processing', input('reset', reset));
  await handle.result();
  const before = await listOf('reset');
  const bytes = await readFile(inStore('reset.wav'));
  bytes.subarray(bytes.length >> 1).reverse();
  await put('reset.wav', bytes);
  // The container remembers its jobs and would answer the reset run with the earlier result.
  await stack.container.process.stop('SIGKILL');
  stack.containers[0] = await TestContainer.restart(stack.container);
  provider.reset(() => refused);
  await stack.temporal.cli(
    ...['workflow', 'reset', '--workflow-id', handle.workflowId, '--type', 'FirstWorkflowTask', '--reason', 'a test'],
  );
  await stack.client.workflow.getHandle(handle.workflowId).result();
  const after = await listOf('reset');
  expect(after.chunks.map(({ sha256 }) => sha256)).not.toEqual(before.chunks.map(({ sha256 }) => sha256));
  provider.reset(spoken);
  // The breaker of the first provider is open after these failures.
  const more = { ...reset, provider: ['test/two', 'test/one'], resume: true };
  expect(await run('reset', more)).toMatchObject({
    called: all,
    outcome: { status: 'completed' },
  });
});

test('chunking keeps intact chunks and starts a job only for the others', async () => {
  await put('music.ogg', await readFile(musicOgg));
  const cut = async (more: object = {}) => {
    const before = stack.container.process.messages().length;
    const chunking = {
      sourceUrl: 's3://media/music.ogg',
      uploadUrlPrefix: 's3://media/cut/',
      chunkDuration: 3,
      overlapDuration: 1,
    };
    const handle = await stack.run('chunking', { ...chunking, ...more });
    return { outcome: ChunkingOutcome.parse(await handle.result()), jobs: jobsSince(before) };
  };
  const first = await cut({ resume: true });
  expect(first.jobs).toEqual(['chunking']);
  const again = await cut({ resume: true });
  expect(again.jobs).toEqual([]);
  expect(again.outcome).toEqual({ ...first.outcome, elapsedSeconds: 0 });
  await changeByte('cut/chunk-00001.ogg');
  const mended = await cut({ resume: true });
  expect(mended.jobs).toEqual(['chunking']);
  const others = (outcome: ChunkingOutcome) => outcome.chunks?.filter(({ index }) => index !== 1);
  expect(others(mended.outcome)).toEqual(others(first.outcome));
  expect(mended.outcome.chunks?.[1]).toMatchObject({ url: 's3://media/cut/chunk-00001.ogg' });
  const names = await readdir(inStore('cut'));
  expect(names.filter((name) => name.endsWith('.ogg'))).toHaveLength(first.outcome.totalChunks);
});

test('a run fails instead of paying again if the worker cannot see the prefix', async () => {
  const handle = await stack.run('processing', {
    ...input('x'),
    uploadUrlPrefix: 'file:///srv/media/x/',
    resume: true,
  });
  const failure: unknown = await handle.result().catch((error: unknown) => error);
  expect((failure as Error).cause).toMatchObject({
    type: 'EarlierChunksNotRead',
    message: 'file: URLs are refused because MEDIA_ROOT is unset in the worker',
  });
});
