import { ActivityNotFoundError, type Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { expect, test, vi } from 'vitest';
import { createProviderActivities } from '../../../activities/index.ts';
import type { SigningStore } from '../../../stores/store.ts';
import { CredentialsUnavailable } from '../../../stores/store-error.ts';
import { Storage } from '../../../activities/storage/storage.ts';
import { Provider, type ProviderPolicy } from '../../../contract/provider.ts';
import type { ProviderCall } from '../../../contract/provider-call.ts';
import {
  rateLimitAnswer,
  transcription,
  TranscriptionServer,
  type TranscriptionScript,
} from '../../fixtures/transcription-server.ts';
import { badCertificates, startTlsServer, trust } from '../../support/tls-server.ts';
import { MediaServer } from '../../fixtures/media-server.ts';
import { freePort } from '../../support/ports.ts';
import { openFiles } from '../../support/open-files.ts';
import { fakeStores } from '../../support/fake-stores.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';
import { useFolder } from '../../support/folder.ts';

const secret = 'sk-secret';
const answer: TranscriptionScript = () => ({
  kind: 'answer',
  body: transcription([{ start: 0, end: 2, text: ' hello' }]),
});

const folder = useFolder();
const mediaRoot = join(folder, 'media');
await mkdir(mediaRoot);
await writeFile(join(mediaRoot, 'chunk-00007.ogg'), 'OggS and so on');
await writeFile(join(folder, 'private.ogg'), 'not for you');
await symlink(join(folder, 'private.ogg'), join(mediaRoot, 'link.ogg'));
const server = await stopAfterAll(TranscriptionServer.start(answer));

const url = (name: string) => pathToFileURL(join(mediaRoot, name)).href;

interface Setup {
  script?: TranscriptionScript;
  provider?: Partial<Provider>;
  call?: Partial<ProviderCall>;
  mediaRoot?: string | undefined;
  sign?: SigningStore['sign'];
  info?: ConstructorParameters<typeof MockActivityEnvironment>[0];
  /** Whether the server has ended this activity. */
  isTakenOver?: boolean;
  /** Reason with which Temporal cancels the activity once the provider has received the call. */
  cancel?: 'PAUSED' | 'CANCELLED';
  isCancelledBefore?: boolean;
}

function clientThat(isTakenOver: boolean): Client {
  const heartbeat = async () => {
    if (isTakenOver) throw new ActivityNotFoundError('not found');
  };
  const call = (_: unknown, body: () => unknown) => body();
  return { activity: { heartbeat }, withDeadline: call, withAbortSignal: call } as unknown as Client;
}

async function processChunkOf(setup: Setup = {}) {
  const {
    script = answer,
    provider,
    call,
    isTakenOver = false,
    sign,
    info = {},
    cancel,
    isCancelledBefore,
    ...rest
  } = setup;
  const environment = new MockActivityEnvironment(info, { client: clientThat(isTakenOver) });
  if (isCancelledBefore === true) environment.cancel('CANCELLED');
  server.reset((...given) => {
    if (cancel !== undefined) environment.cancel(cancel);
    return script(...given);
  });
  const own = Provider.parse({ kind: 'openai-transcription', url: server.url, timeoutSeconds: 30, ...provider });
  const known = { provider: own, secret, policy: {} as ProviderPolicy };
  const storage = new Storage(
    fakeStores(sign === undefined ? {} : { sign }, 'mediaRoot' in rest ? rest.mediaRoot : mediaRoot),
  );
  const { processChunk } = createProviderActivities({ providers: new Map([['test/model', known]]), storage });
  return environment.run(processChunk, {
    provider: 'test/model',
    index: 7,
    url: url('chunk-00007.ogg'),
    size: 14,
    duration: 10,
    answerUrl: url('chunk-00007.json'),
    ...call,
  });
}

async function failure(setup: Setup): Promise<{ type: unknown; message: string; facts: unknown }> {
  try {
    await processChunkOf(setup);
  } catch (error) {
    if (!(error instanceof ApplicationFailure)) throw error;
    return { type: error.type, message: error.message, facts: error.details?.[0] };
  }
  throw new Error('expected the call to fail');
}

test('reads an answer that begins with a byte order mark', async () => {
  await processChunkOf({ script: () => ({ kind: 'answer', body: '\uFEFF{"text":"hello"}' }) });
  expect(JSON.parse(await readFile(join(mediaRoot, 'chunk-00007.json'), 'utf8'))).toMatchObject({ text: 'hello' });
});

test('tells the provider the names and terms of the recording', async () => {
  await processChunkOf({ call: { vocabulary: ['Holdfast', 'Ann Lee'] } });
  expect(server.calls[0]?.fields['prompt']).toBe('Holdfast, Ann Lee');
});

test('sends the audio as the translation API requires, and stores that the answer is in English', async () => {
  const provider = { language: 'de', translationUrl: server.translationUrl };
  await processChunkOf({ provider, call: { translate: true, vocabulary: ['Holdfast'] } });
  const fields = { model: 'model', response_format: 'verbose_json', prompt: 'Holdfast' };
  expect(server.calls).toMatchObject([{ path: '/v1/audio/translations', file: Buffer.from('OggS and so on') }]);
  expect(server.calls[0]?.fields).toEqual(fields);
  const stored = JSON.parse(await readFile(join(mediaRoot, 'chunk-00007.json'), 'utf8')) as unknown;
  expect(stored).toMatchObject({ language: 'en', translated: true, answer: { language: 'english' } });
});

test('calls no provider that cannot translate', async () => {
  const message = 'The provider test/model cannot translate';
  expect(await failure({ call: { translate: true } })).toMatchObject({ type: 'UnknownProvider', message });
  expect(server.calls).toEqual([]);
});

test('sends the audio as the transcription API requires and stores the answer with the chunk', async () => {
  expect(await processChunkOf({ provider: { language: 'de' } })).toEqual({ segments: 1, characters: 5 });
  const [call] = server.calls;
  expect(call).toMatchObject({
    path: '/v1/audio/transcriptions',
    fileName: 'chunk-00007.ogg',
    fields: {
      model: 'model',
      response_format: 'verbose_json',
      'timestamp_granularities[]': 'segment,word',
      language: 'de',
    },
  });
  expect(call?.file.toString()).toBe('OggS and so on');
  expect(call?.headers).toMatchObject({ authorization: `Bearer ${secret}` });
  expect(Number(call?.headers['content-length'])).toBeGreaterThan(14);
  const stored = JSON.parse(await readFile(join(mediaRoot, 'chunk-00007.json'), 'utf8')) as unknown;
  expect(stored).toMatchObject({ provider: 'test/model', text: 'hello', answer: { task: 'transcribe' } });
});

test('makes no call for the last hundredths of a second, which OpenAI refuses, and stores an empty answer', async () => {
  expect(await processChunkOf({ call: { duration: 0.05, voices: true } })).toEqual({ segments: 0, characters: 0 });
  expect(server.calls).toEqual([]);
  const stored = JSON.parse(await readFile(join(mediaRoot, 'chunk-00007.json'), 'utf8')) as unknown;
  expect(stored).toMatchObject({ provider: 'test/model', text: '', segments: [] });
  await processChunkOf({ call: { duration: 0.1 } });
  expect(server.calls).toHaveLength(1);
});

test('losing credentials during a call does not lose the paid answer, because its target is presigned', async () => {
  const store = await MediaServer.start();
  store.on('GET /media/chunk-00007.ogg', (_, response) => void response.end('OggS and so on'));
  let stored = '';
  store.on('PUT /media/chunk-00007.json', async (request, response) => {
    stored = await readText(request);
    response.end();
  });
  let isAway = false;
  const sign = async (url: string) => {
    if (isAway) throw new CredentialsUnavailable(new Error('away'));
    return { url: `${store.url}/${url.slice('s3://'.length)}?X-Amz-Signature=1`, expiresAtMs: Date.now() + 600_000 };
  };
  const script: TranscriptionScript = (...given) => {
    isAway = true;
    return answer(...given);
  };
  const call = { url: 's3://media/chunk-00007.ogg', answerUrl: 's3://media/chunk-00007.json' };
  expect(await processChunkOf({ script, call, sign })).toMatchObject({
    segments: 1,
  });
  expect(JSON.parse(stored)).toMatchObject({ text: 'hello' });
  // Losing them before the call costs nothing.
  const { facts } = await failure({ script, call, sign });
  expect(facts).toEqual({ kind: 'storage', passing: true, called: false });
  expect(server.calls).toEqual([]);
  await store.stop();
});

test('re-signs a target whose signature the store rejects and keeps the answer', async () => {
  const store = await MediaServer.start();
  store.on('GET /media/chunk-00007.ogg', (_, response) => void response.end('OggS and so on'));
  let puts = 0;
  store.on('PUT /media/chunk-00007.json', (request, response) => {
    puts += 1;
    const isKnown = new URL(request.url ?? '', store.url).searchParams.get('X-Amz-Signature') !== '1';
    request.resume().on('end', () => {
      response.writeHead(isKnown ? 200 : 403).end('<Error><Code>ExpiredToken</Code></Error>');
    });
  });
  let signed = 0;
  const sign = async (url: string) => {
    signed += 1;
    return {
      url: `${store.url}/${url.slice('s3://'.length)}?X-Amz-Signature=${signed}`,
      expiresAtMs: Date.now() + 600_000,
    };
  };
  const call = { url: 's3://media/chunk-00007.ogg', answerUrl: 's3://media/chunk-00007.json' };
  expect(await processChunkOf({ call, sign })).toMatchObject({
    segments: 1,
  });
  expect([puts, server.calls.length]).toEqual([2, 1]);
  await store.stop();
});

test('a provider of kind http receives the raw bytes and may answer any JSON', async () => {
  const script: TranscriptionScript = () => ({ kind: 'answer', body: { label: 'speech' } });
  expect(await processChunkOf({ script, provider: { kind: 'http' } })).toEqual({ segments: 0, characters: 0 });
  const [call] = server.calls;
  expect(call?.file.toString()).toBe('OggS and so on');
  expect(call?.headers).toMatchObject({ 'content-type': 'audio/ogg', 'content-length': '14' });
});

test('a hanging call ends at its time limit and its connection is closed', async () => {
  // Long enough for a loaded machine to make the call first.
  expect(await failure({ script: () => ({ kind: 'hang' }), provider: { timeoutSeconds: 3 } })).toEqual({
    type: 'ProviderFailed',
    message: 'No answer within 3 s',
    facts: { kind: 'timeout' },
  });
  await expect.poll(() => server.inFlight).toBe(0);
  expect(server.calls[0]?.isAbandoned).toBe(true);
});

test('a permit that ends before the time limit ends the call', async () => {
  const call = { permitMs: 3_000 };
  const { facts } = await failure({ script: () => ({ kind: 'hang' }), call });
  expect(facts).toEqual({ kind: 'permit_expired', called: true });
  await expect.poll(() => server.inFlight).toBe(0);
});

test.each([
  ['is repeated after a pause', { attempt: 2 }, true],
  ['waited paused for its worker', { currentAttemptScheduledTimestampMs: 5_001 }, false],
])('a call that %s is not made under its former permit, which may be in use elsewhere', async (_, info, called) => {
  const { facts } = await failure({ info, call: { permitMs: 34_000 } });
  expect(facts).toEqual({ kind: 'permit_expired', called });
  expect(server.calls).toEqual([]);
});

test('a call that is paused continues to its end, because it would be paid again', async () => {
  expect(await processChunkOf({ cancel: 'PAUSED' })).toMatchObject({ segments: 1 });
  await expect(processChunkOf({ script: () => ({ kind: 'hang' }), cancel: 'CANCELLED' })).rejects.toThrow('CANCELLED');
});

test('a call that was cancelled before it began is not made', async () => {
  await expect(processChunkOf({ isCancelledBefore: true })).rejects.toThrow('CANCELLED');
  expect(server.calls).toEqual([]);
});

test.each([-130, 130])('a worker whose clock is %i s ahead makes the call under its permit', async (ahead) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ahead * 1000 });
  try {
    expect(await processChunkOf({ call: { permitMs: 6_000 } })).toMatchObject({ segments: 1 });
  } finally {
    vi.useRealTimers();
  }
});

test.each<[string, Setup, unknown]>([
  [
    'a rate limit with its headers',
    { script: () => rateLimitAnswer('Slow down', { 'x-ratelimit-reset-requests': '1m2s' }) },
    { kind: 'answered', status: 429, errorType: 'requests', retryAfterSeconds: 62 },
  ],
  [
    'a redirect',
    { script: () => ({ kind: 'answer', status: 307, body: '', headers: { location: '/' } }) },
    { status: 307 },
  ],
  ['a broken connection', { script: () => ({ kind: 'drop' }) }, { kind: 'unreachable' }],
  ['a success without JSON', { script: () => ({ kind: 'answer', body: 'WEBVTT' }) }, { kind: 'unreadable' }],
  [
    'JSON that is nested too deeply',
    { script: () => ({ kind: 'answer', body: `{"text":"a","more":${'['.repeat(9_000)}${']'.repeat(9_000)}}` }) },
    { kind: 'unreadable' },
  ],
  ['JSON without a transcription', { script: () => ({ kind: 'answer', body: {} }) }, { kind: 'unreadable' }],
])('%s fails the call with its facts', async (_, setup, facts) => {
  expect((await failure(setup)).facts).toMatchObject(facts as object);
});

test.each(badCertificates)(
  'a provider with a certificate %s receives nothing, and the message says why',
  async (_, certificate, sentence) => {
    const untrusted = await startTlsServer(certificate);
    trust(untrusted);
    const { message, facts } = await failure({ provider: { url: untrusted.url } });
    expect(facts).toEqual({ kind: 'untrusted' });
    expect(message).toMatch(sentence);
    await untrusted.stop();
  },
);

test.each(badCertificates)(
  'a store with a certificate %s is not retried and costs no call',
  async (_, certificate, sentence) => {
    const untrusted = await startTlsServer(certificate);
    trust(untrusted);
    const sign = async () => ({ url: `${untrusted.url}/media/chunk`, expiresAtMs: Date.now() + 600_000 });
    const call = { url: 's3://media/chunk-00007.ogg', answerUrl: 's3://media/chunk-00007.json' };
    const { message, facts } = await failure({ call, sign });
    expect(facts).toEqual({ kind: 'storage', passing: false, called: false });
    expect(message).toMatch(sentence);
    expect(server.calls).toEqual([]);
    await untrusted.stop();
  },
);

test('a provider that refuses the connection is unreachable, and the chunk is closed', async () => {
  const { facts } = await failure({ provider: { url: `http://127.0.0.1:${await freePort()}/` } });
  expect(facts).toEqual({ kind: 'unreachable', errno: 'ECONNREFUSED' });
  await expect.poll(() => openFiles(mediaRoot)).toEqual([]);
});

test('removes a secret that the provider repeats from its error, even if it is truncated', async () => {
  const body = { error: { message: `Bad key ${secret} ${'.'.repeat(480)} ${secret}`, type: `no_${secret}` } };
  const { message, facts } = await failure({ script: () => ({ kind: 'answer', status: 401, body }) });
  expect(message).toMatch(/^Bad key … \.+ …$/);
  expect(facts).toEqual({ kind: 'answered', status: 401, errorType: 'no_…' });
});

test('truncates a long error message', async () => {
  const body = { error: { message: 'x'.repeat(10_000), type: 'y'.repeat(10_000) } };
  const { message, facts } = await failure({ script: () => ({ kind: 'answer', status: 400, body }) });
  expect(message).toHaveLength(500);
  expect((facts as { errorType: string }).errorType).toHaveLength(100);
});

test.each([
  ['a missing chunk', { call: { url: 'file:///nowhere/chunk-00001.ogg' } }, /no folder that this worker can see/],
  [
    'a file outside MEDIA_ROOT',
    { call: { url: pathToFileURL('/etc/hostname').href } },
    /outside the worker's MEDIA_ROOT/,
  ],
  ['a file if MEDIA_ROOT is unset', { mediaRoot: undefined }, /MEDIA_ROOT is unset in the worker/],
])('does not call the provider for %s', async (_, setup, message) => {
  const failed = await failure(setup);
  expect(failed.facts).toEqual({ kind: 'storage', passing: false, called: false });
  expect(failed.message).toMatch(message);
  expect(server.calls).toEqual([]);
});

test('does not send a chunk to the provider if its size shows that another run has cut it', async () => {
  const failed = await failure({ call: { size: 15 } });
  expect(failed.facts).toEqual({ kind: 'storage', passing: false, called: false });
  expect(failed.message).toContain('another run may use the same prefix');
  expect(server.calls).toEqual([]);
});

test('stores no answer to the chunk of another run, even if the chunk has the same size', async () => {
  await rm(join(mediaRoot, 'chunk-00007.json'), { force: true });
  const failed = await failure({ call: { sha256: 'a'.repeat(64) } });
  expect(failed.facts).toEqual({ kind: 'storage', passing: false, called: true });
  await expect(readFile(join(mediaRoot, 'chunk-00007.json'))).rejects.toThrow('ENOENT');
  const sha256 = createHash('sha256').update('OggS and so on').digest('hex');
  expect(await processChunkOf({ call: { sha256 } })).toEqual({ segments: 1, characters: 5 });
});

test('does not follow a link out of MEDIA_ROOT', async () => {
  const failed = await failure({ call: { url: url('link.ogg') } });
  expect(failed.message).toMatch(/outside/);
});

test('a worker that was frozen while another took over its chunk makes no call', async () => {
  expect(await failure({ isTakenOver: true })).toMatchObject({ type: 'TakenOver' });
  expect(server.calls).toEqual([]);
});

test('a call under a permit of the run before its reset does not start beside the former call', async () => {
  const info = { workflowExecution: { workflowId: 'talk', runId: 'new' } };
  // The permit expires before the former call must have ended.
  const ended = await failure({ info, call: { runId: 'former', permitMs: 500 } });
  expect(ended.facts).toEqual({ kind: 'permit_expired', called: false });
  expect(server.calls).toHaveLength(0);
  expect(await processChunkOf({ info, call: { runId: 'new', permitMs: 60_000 } })).toMatchObject({ segments: 1 });
});
