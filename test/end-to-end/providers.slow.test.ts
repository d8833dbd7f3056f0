import type { WorkflowHandle } from '@temporalio/client';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type LimiterStats, limiterQueries, limiterSignals } from '../../contract/limiter.ts';
import type { WorkflowStatus } from '../../contract/workflow/status.ts';
import { rateLimitAnswer, TranscriptionServer } from '../fixtures/transcription-server.ts';
import { RunHistory } from '../support/history.ts';
import { longWav } from '../support/media.ts';
import { freePort } from '../support/ports.ts';
import { resumableInput } from '../support/resumable-input.ts';
import { rowsExcept } from '../support/rows.ts';
import { startS3 } from '../support/s3.ts';
import { TestStack } from '../support/stack.ts';
import { chunkCount, input, seconds, spoken, wholeText } from './spoken-words.ts';
import { failedOf, outcomeOf, readStored, readTranscript } from './stored-outcome.ts';
import { useFolder } from '../support/folder.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

// Real audio, real workers, a real S3 server and a scripted provider.

const secret = 'sk-a-secret-that-nobody-may-read';
const folder = useFolder();

const wide = { requestsPerMinute: 6_000, requestsPerHour: 100_000, burstLimit: 100 };

const provider = await stopAfterAll(TranscriptionServer.start(spoken));
const whisper = { kind: 'openai-transcription', url: provider.url, secretEnv: 'TEST_SECRET', limits: wide };
const quick = { min: 0.2, max: 1 };
await writeFile(
  join(folder, 'providers.json'),
  JSON.stringify({
    'test/whisper-1': whisper,
    'test/quick': { ...whisper, backoff: quick, limits: { ...wide, breakerFailures: 100 } },
    'test/impatient': { ...whisper, timeoutSeconds: 6, limits: { ...wide, permitSeconds: 20 } },
    'test/counted': { ...whisper, timeoutSeconds: 6, limits: { ...wide, permitSeconds: 20 }, price: { perCall: 0.25 } },
    'test/pair': { ...whisper, limits: { ...wide, maxConcurrent: 2, permitSeconds: 100 } },
    'test/throttled': { ...whisper },
  }),
);
const ports = [await freePort(), await freePort(), await freePort()] as const;
let cutRuns = 0;

/** Input of a run whose chunks are already cut, because it is about calls alone. */
async function cutInput(provider: string) {
  cutRuns += 1;
  return { ...(await resumableInput(join(folder, `cut-${cutRuns}`), chunkCount)), provider };
}

/** Starts runs that share the two calls of one key. */
async function startRuns(count: number): Promise<WorkflowHandle[]> {
  const inputs = await Promise.all(Array.from({ length: count }, () => cutInput('test/pair')));
  return await Promise.all(inputs.map((cut) => stack.run('processing', cut)));
}

const metricsUrls = ports.map((port) => `http://127.0.0.1:${port}/metrics`);
const s3 = await stopAfterAll(startS3(['media']));
const stack = await stopAfterAll(
  TestStack.start({
    // Each of the three workers has a slot for the container, so that it is busy at times.
    containerEnvironment: { RETRY_AFTER_SECONDS: '1' },
    workerEnvironment: {
      ...s3.environment,
      MEDIA_ROOT: folder,
      TEST_SECRET: secret,
      PROVIDERS_FILE: join(folder, 'providers.json'),
      RATE_LIMIT_THROTTLE_MODELS: 'test/throttled',
      // The throttle lasts until a test ends it.
      RATE_LIMIT_RPS_BACKOFF_SECONDS: '3600',
      TEST_QUICK_BACKOFF_MAX: '2',
      METRICS_PORT: String(ports[0]),
    },
  }),
);
await stack.addWorker({ METRICS_PORT: String(ports[1]) });
await stack.addWorker({ METRICS_PORT: String(ports[2]) });
await copyFile(await longWav({ seconds }), join(s3.folder, 'media/speech.wav'));

test('three runs on three workers make five concurrent calls at most, complete transcripts, and hide the provider’s address', async () => {
  // Holds the first calls until the maximum is reached; a slow machine would otherwise finish one before the next.
  const most = Promise.withResolvers<void>();
  provider.reset((call) => {
    if (provider.inFlight === 5) most.resolve();
    return spoken(call, { after: most.promise });
  });
  const named = () => ({ ...input('test/whisper-1'), vocabulary: ['Holdfast', 'Ann Lee'] });
  const handles = await Promise.all([1, 2, 3].map(() => stack.run('processing', named())));
  const [first] = await Promise.all(handles.map(outcomeOf));
  expect(provider.calls).toHaveLength(3 * chunkCount);
  expect(provider.mostInFlight).toBe(5);

  expect(first).toMatchObject({ status: 'completed' });
  const { calls } = provider;
  for (const call of calls) {
    expect(call.headers.authorization).toBe(`Bearer ${secret}`);
    expect(call.fields).toEqual({
      model: 'whisper-1',
      response_format: 'verbose_json',
      'timestamp_granularities[]': 'segment,word',
      prompt: 'Holdfast, Ann Lee',
    });
    expect(call.file.subarray(0, 4).toString('latin1')).toBe('OggS');
    expect(call.file.length).toBe(first?.chunks?.[call.index]?.size);
  }
  for (const handle of handles) {
    const outcome = await outcomeOf(handle);
    const transcript = await readTranscript(s3, outcome.transcript?.json);
    expect(transcript).toMatchObject({ text: wholeText, complete: true, missing: [] });
    expect(await readStored(s3, outcome.transcript?.vtt)).toMatch(
      /^WEBVTT\n\n1\n00:00:00\.000 --> 00:00:06\.917\nw0 w1 w2 w3 w4 w5 w6\n\n2\n/,
    );
    expect(await readStored(s3, outcome.transcript?.srt)).toMatch(
      /^1\n00:00:00,000 --> 00:00:06,917\nw0 w1 w2 w3 w4 w5 w6\n\n2\n/,
    );
  }
  const run = handles[0] as WorkflowHandle;
  // Whoever may see a run may read its history.
  expect((await RunHistory.of(run)).text()).not.toMatch(/sk-a-secret|audio\/transcriptions|TEST_SECRET/);
  const status = await stack.status(run);
  expect(status.chunks?.map(({ state }) => state)).toEqual(Array.from({ length: chunkCount }, () => 'completed'));
});

test('a hanging call ends at its timeout without delaying others, and a second run processes only that chunk', async () => {
  provider.reset((call) => (call.index === 3 ? { kind: 'hang' } : spoken(call)));
  const first = input('test/impatient');
  const partial = await outcomeOf(await stack.run('processing', first));
  expect(partial.status).toBe('partial');
  expect(failedOf(partial)).toEqual([{ index: 3, error: 'timeout' }]);
  const [hung, ...others] = provider.callsOf(3);
  expect(others).toEqual([]);
  expect(hung?.isAbandoned).toBe(true);
  const gap = await readTranscript(s3, partial.transcript?.json);
  expect(gap.complete).toBe(false);
  expect(gap.missing).toEqual([{ index: 3, start: 24, end: expect.closeTo(34, 1) as number, error: 'timeout' }]);
  // The overlaps of the neighbours remain.
  expect(gap.text).toContain('w25 w32');

  provider.reset(spoken);
  const again = await outcomeOf(await stack.run('processing', { ...first, resume: partial }));
  expect(provider.calls.map(({ index }) => index)).toEqual([3]);
  expect(again.status).toBe('completed');
  expect(await readTranscript(s3, again.transcript?.json)).toMatchObject({ text: wholeText, complete: true });
});

test('retries chunks after rate limits, lost connections and 5xx, and fails them at once after other answers', async () => {
  provider.reset((call) => {
    if (call.index === 1 && call.attempt === 1) return rateLimitAnswer('Slow down', { 'retry-after': '2' });
    if (call.index === 2 && call.attempt === 1) return { kind: 'drop' };
    if (call.index === 4 && call.attempt <= 2) return { kind: 'answer', status: 503, body: 'down' };
    if (call.index === 5) return { kind: 'answer', status: 400, body: { error: { message: `Bad ${secret}` } } };
    if (call.index === 6) return rateLimitAnswer('Slow down');
    return spoken(call);
  });
  const handle = await stack.run('processing', await cutInput('test/quick'));
  const backoff = (status: WorkflowStatus) => status.chunks?.some((chunk) => chunk.state === 'backoff') ?? false;
  const seen = await stack.untilStatus(handle, 'a chunk in backoff', backoff);
  expect(seen.phase).toBe('process');
  expect(seen.estimatedDelaySeconds).toBeGreaterThan(0);
  const outcome = await outcomeOf(handle);
  expect(failedOf(outcome)).toEqual([
    { index: 5, error: 'http_400' },
    { index: 6, error: 'rate_limited' },
  ]);
  expect(outcome.chunks?.map(({ attempts }) => attempts)).toEqual([1, 2, 2, 1, 3, 1, 4, 1]);
  const timers = (await RunHistory.of(handle)).timerSummaries();
  expect(timers).toContainEqual(expect.stringMatching(/^Chunk 1: rate_limited, attempt 2 at /));
  expect(JSON.stringify(outcome)).not.toContain(secret);
});

test('the workers’ Prometheus endpoints export the counters', async () => {
  provider.reset((call) => {
    if (call.number === 0) return rateLimitAnswer('Slow down');
    return call.number === 1 ? { kind: 'hang' } : spoken(call);
  });
  await outcomeOf(await stack.run('processing', await cutInput('test/counted')));
  const counts = async (): Promise<Record<string, number>> => {
    const texts = await Promise.all(metricsUrls.map(async (url) => await (await fetch(url)).text()));
    const lines = texts.join('\n').matchAll(/^holdfast_provider_(\w+)_total\{key="test\/counted",.*\} (\d+)$/gm);
    const sums: Record<string, number> = {};
    for (const [, name = '', value] of lines) sums[name] = (sums[name] ?? 0) + Number(value);
    return sums;
  };
  // Each worker counts its part of the workflow. A repeated workflow task counts twice, so the counts are lower bounds.
  const least = {
    permits: chunkCount + 1,
    rate_limit_events: 1,
    timeouts: 1,
    // One wait per permit and one for the backoff.
    waits: chunkCount + 2,
    // The call that hangs has no answer.
    cost_millionths: (chunkCount - 1) * 250_000,
  };
  await stack.worker.until('counters', async () => {
    const counted = await counts();
    return Object.entries(least).every(([name, count]) => (counted[name] ?? 0) >= count);
  });
});

test('a limiter that is reset grants again at once, within its limit', async () => {
  provider.reset((call) => spoken(call, { delayMs: 300 }));
  const handles = await startRuns(2);
  await stack.worker.until('some calls', () => provider.calls.length >= 4);
  await stack.temporal.cli(
    ...['workflow', 'reset', '--workflow-id', 'limiter/default/test/pair', '--type', 'FirstWorkflowTask'],
    ...['--reason', 'a test'],
  );
  const calls = provider.calls.length + 2;
  // A permit whose id exists twice blocks its place until it expires, after 100 s.
  await stack.worker.until('calls after the reset', () => provider.calls.length >= calls, 60_000);
  for (const outcome of await Promise.all(handles.map(outcomeOf))) expect(outcome.status).toBe('completed');
  expect(provider.mostInFlight).toBe(2);
});

test('a run that is reset, or started again under its id, keeps the limit', async () => {
  provider.reset((call) => spoken(call, { delayMs: 2_000 }));
  const [first] = await startRuns(1);
  if (first === undefined) throw new Error('one run');
  const { workflowId } = first;
  const untilCalls = async (calls: number) =>
    await stack.worker.until(`${calls} calls`, () => provider.calls.length >= calls && provider.inFlight > 0);
  let calls = 2;
  for (const type of rowsExcept(['FirstWorkflowTask'], ['LastWorkflowTask', 'FirstWorkflowTask'])) {
    await untilCalls(calls);
    calls = provider.calls.length + 2;
    await stack.temporal.cli(
      ...['workflow', 'reset', '--workflow-id', workflowId, '--type', type],
      ...['--reason', 'a test'],
    );
  }
  await untilCalls(calls);
  const current = stack.client.workflow.getHandle(workflowId);
  await current.terminate('a test');
  const options = { workflowId, taskQueue: 'holdfast', args: [await cutInput('test/pair')] };
  expect((await outcomeOf(await stack.client.workflow.start('processing', options))).status).toBe('completed');
  expect(provider.mostInFlight).toBe(2);
});

test('a limiter that is terminated keeps its limit', async () => {
  provider.reset((call) => spoken(call, { delayMs: 1_000 }));
  const handles = await startRuns(2);
  const limiter = stack.client.workflow.getHandle('limiter/default/test/pair');
  for (const calls of rowsExcept([5, 8], [2, 5, 8])) {
    await stack.worker.until(`${calls} calls`, () => provider.calls.length >= calls);
    await limiter.terminate('a test');
    await stack.worker.until('new limiter', async () => (await limiter.describe()).status.name === 'RUNNING');
  }
  for (const outcome of await Promise.all(handles.map(outcomeOf))) expect(outcome.status).toBe('completed');
  expect(provider.mostInFlight).toBe(2);
});

test('chunks of killed workers return to the queue without exceeding five concurrent calls', async () => {
  const killed = Promise.withResolvers<void>();
  provider.reset((call) => spoken(call, { after: killed.promise }));
  const handle = await stack.run('processing', await cutInput('test/whisper-1'));
  await stack.worker.until('five calls in flight', () => provider.inFlight === 5);
  // The distribution of calls over workers is random, and the new worker has none.
  const callers = [...stack.workers];
  await stack.addWorker({ METRICS_PORT: '' });
  await Promise.all(callers.map((worker) => worker.stop('SIGKILL')));
  killed.resolve();
  const outcome = await outcomeOf(handle);
  expect(outcome.status).toBe('completed');
  expect(provider.mostInFlight).toBe(5);
  expect(outcome.chunks?.every(({ attempts }) => attempts === 1)).toBe(true);
  expect(provider.calls).toHaveLength(chunkCount + 5);
});

test('a throttle survives the loss of every worker and is served by workers of another task queue', async () => {
  provider.reset(spoken);
  await outcomeOf(await stack.run('processing', await cutInput('test/throttled')));
  const limiter = stack.client.workflow.getHandle('limiter/default/test/throttled');
  const stats = async () => await limiter.query<LimiterStats>(limiterQueries.stats);
  await limiter.signal(limiterSignals.throttle, { seconds: 86_400, reason: 'maintenance' });
  const before = await stats();
  expect(before).toMatchObject({ throttled: true, throttle_reason: 'maintenance' });
  await Promise.all(stack.workers.map((worker) => worker.stop('SIGKILL')));
  await stack.addWorker({ TEMPORAL_TASK_QUEUE: 'another', METRICS_PORT: '' });
  expect(await stats()).toMatchObject({ throttled: true, throttle_until: before.throttle_until });
  await stack.startWorker();
});

test('an unknown key fails the run at once and is named', async () => {
  const handle = await stack.run('processing', input('test/unknown'));
  const failure = (await handle.result().catch((error: unknown) => error)) as {
    cause?: { type?: string; message?: string };
  };
  expect(failure.cause).toMatchObject({ type: 'UnknownProvider' });
  expect(failure.cause?.message).toContain('test/unknown');
});
