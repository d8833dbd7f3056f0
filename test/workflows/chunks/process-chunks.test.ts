import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Storage } from '../../../activities/storage/storage.ts';
import { readInput } from '../../../client/rerun.ts';
import { parsePodcastChapters } from '../../../engine/tags/chapters.ts';
import { limiterWorkflowId } from '../../../contract/limiter.ts';
import { longestProviderWaitSeconds } from '../../../contract/defaults.ts';
import { Provider, type ProviderPolicy, type ThrottleSeconds } from '../../../contract/provider.ts';
import { ProcessingOutcome } from '../../../contract/workflow/processing.ts';
import type { WorkflowStatus } from '../../../contract/workflow/status.ts';
import { oneWord, rateLimitAnswer, transcription } from '../../fixtures/transcription-server.ts';
import { growHistory, type Handle } from '../../support/processing-runs.ts';
import { resumableInput } from '../../support/resumable-input.ts';
import { RunHistory } from '../../support/history.ts';
import { freePort } from '../../support/ports.ts';
import { fakeStores } from '../../support/fake-stores.ts';
import { useProviderSetup } from '../../support/provider-setup.ts';

// Each run resumes from an earlier result whose chunks are cut, so that only the processing of chunks runs.

const wide = { requestsPerMinute: 100_000, requestsPerHour: 1_000_000, burstLimit: 10_000 };

const { time, server, folder: mediaRoot } = await useProviderSetup();

interface RunOptions {
  throttle?: ThrottleSeconds;
  /** A workflow that never responds runs under the limiter's id. */
  limiterIsSilent?: boolean;
  /** Happens while the run waits for its result. */
  meanwhile?: (handle: Handle) => Promise<void>;
  /** Requests chapters; the encoded file has these pauses. */
  pauses?: number[];
}

async function run(count: number, providerSettings: object, environment: string, options: RunOptions = {}) {
  const provider = Provider.parse({ kind: 'openai-transcription', url: server.url, limits: wide, ...providerSettings });
  const { timeoutSeconds, limits, backoff } = provider;
  const policy: ProviderPolicy = { key: 'test/model', environment, timeoutSeconds, limits, backoff };
  if (options.throttle !== undefined) policy.throttle = options.throttle;
  const limiterId = limiterWorkflowId(environment, 'test/model');
  const { workflow } = time.environment.client;
  const dependencies = {
    providers: new Map([['test/model', { provider, secret: undefined, policy }]]),
    storage: new Storage(fakeStores({}, mediaRoot)),
  };
  const resumable = await resumableInput(mediaRoot, count);
  const { pauses, limiterIsSilent } = options;
  Object.assign(resumable.resume.encoded, pauses !== undefined && { chapterStarts: pauses });
  const chapters = pauses === undefined ? {} : { chapters: 'from_transcript' as const };
  const input = { ...resumable, ...chapters, provider: 'test/model' };
  return await time.withWorkers(
    limiterIsSilent === true ? [`http://127.0.0.1:${await freePort()}`] : [],
    async (taskQueue) => {
      if (limiterIsSilent === true) {
        // This workflow handles no messages and waits for a container that never comes.
        const outputs = [{ format: 'flac', uploadUrl: 's3://media/a.flac' }];
        const deaf = { sourceUrl: 'https://media.test/a.wav', outputs, retry: { maxRetryTime: 86_400 } };
        await workflow.start('encode', { workflowId: limiterId, taskQueue, args: [deaf] });
      }
      const handle = await time.start('processing', input, taskQueue);
      const [result] = await Promise.all([handle.result(), options.meanwhile?.(handle)]);
      const outcome = ProcessingOutcome.parse(result);
      const status = await handle.query<WorkflowStatus>('status');
      // The limiter's timers would keep the clock from skipping in the next test.
      await workflow.getHandle(limiterId).terminate();
      const [log, limiterLog] = [time.workflowLog(handle.workflowId), time.workflowLog(limiterId)];
      return { handle, outcome, status, log, limiterLog, history: await RunHistory.of(handle) };
    },
    dependencies,
  );
}

test('a run that continues as new calls for each chunk once, and still resumes if it is repeated', async () => {
  const released = Promise.withResolvers<void>();
  server.reset((call) => ({ ...oneWord(call), ...(call.index >= 20 && { after: released.promise }) }));
  const count = 40;
  const { handle, outcome, status, history } = await run(count, {}, 'continued', {
    pauses: [0, 10.2, 29.9],
    meanwhile: async (handle) => {
      await expect.poll(() => server.calls.length, { timeout: 60_000 }).toBe(25);
      await growHistory(handle, 2_100);
      // A query is answered after all earlier signals, so the run is suspended by then.
      await handle.query('status');
      released.resolve();
    },
  });
  expect(outcome.status).toBe('completed');
  expect(server.calls.map(({ index }) => index).sort((a, b) => a - b)).toEqual(
    Array.from({ length: count }, (_, index) => index),
  );
  expect(server.mostInFlight).toBeLessThanOrEqual(5);
  // The history is that of the last run in the chain.
  expect(history.length).toBeLessThan(2_200);
  const { runId } = await handle.describe();
  expect(runId).not.toBe(handle.firstExecutionRunId);
  expect(await readInput(time.environment.client, handle.workflowId)).toMatchObject({ resume: true });
  expect(status.chunks).toHaveLength(count);
  const transcript = JSON.parse(await readFile(join(mediaRoot, 'transcript.json'), 'utf8')) as { text: string };
  expect(transcript.text).toBe(Array.from({ length: count }, (_, index) => `w${index}`).join(' '));
  expect(outcome.transcript?.chapters).toMatch(/\/chapters\.json$/);
  const chapters = parsePodcastChapters(await readFile(join(mediaRoot, 'chapters.json'), 'utf8'));
  expect(chapters).toEqual([
    { startSeconds: 0, title: 'w0' },
    { startSeconds: 10, title: 'w10' },
    { startSeconds: 30, title: 'w30' },
  ]);
});

test('a key whose calls hang takes no slots from another key on the same worker', async () => {
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  server.reset((call) => ({
    kind: 'answer',
    body: transcription([]),
    ...(call.fields['model'] === 'slow' && { after: released }),
  }));
  const provider = Provider.parse({ kind: 'openai-transcription', url: server.url, limits: wide });
  const { timeoutSeconds, limits, backoff } = provider;
  const keys = ['test/slow', 'test/quick'];
  const providers = new Map(
    keys.map((key) => [
      key,
      {
        provider: { ...provider, model: key.slice('test/'.length) },
        secret: undefined,
        policy: { key, environment: 'slots', timeoutSeconds, limits, backoff },
      },
    ]),
  );
  const storage = new Storage(fakeStores({}, mediaRoot));
  await time.withWorkers(
    [],
    async (taskQueue) => {
      const [slow, quick] = await Promise.all(
        keys.map(async (key) => {
          const cut = await resumableInput(join(mediaRoot, key), 7);
          return await time.start('processing', { ...cut, provider: key }, taskQueue);
        }),
      );
      await expect.poll(() => server.inFlight).toBeGreaterThanOrEqual(5);
      expect(await quick?.result()).toMatchObject({ status: 'completed' });
      expect(server.inFlight).toBe(5);
      release();
      expect(await slow?.result()).toMatchObject({ status: 'completed' });
      for (const key of keys) {
        await time.environment.client.workflow.getHandle(limiterWorkflowId('slots', key)).terminate();
      }
    },
    { providers, storage },
  );
});

test('a chunk whose provider always limits the rate fails after four attempts, 2, 4 and 8 s apart', async () => {
  server.reset(() => rateLimitAnswer('Slow down'));
  const { outcome, status, log, limiterLog, history } = await run(1, {}, 'limited');
  expect(outcome).toMatchObject({
    status: 'failed',
    chunks: [{ error: 'rate_limited', message: 'Slow down', attempts: 4 }],
  });
  expect(outcome.transcript).toBeUndefined();
  expect(status.chunks).toEqual([{ index: 0, state: 'failed', error: 'rate_limited', message: 'Slow down' }]);
  expect(backoffSeconds(history)).toEqual([2, 4, 8]);
  const attempt = (number: number) => [
    'Chunk 0 waits for a permit of test/model',
    `Processing chunk 0 at test/model, attempt ${number}`,
    'Rate limited at test/model with chunk 0: Slow down',
  ];
  const retrying = (seconds: number, number: number) =>
    `Retrying chunk 0 in ${seconds}s, after attempt ${number}: rate_limited`;
  expect(log.filter((line) => line.includes('hunk 0'))).toEqual([
    ...[...attempt(1), retrying(2, 1), ...attempt(2), retrying(4, 2), ...attempt(3), retrying(8, 3), ...attempt(4)],
    'Chunk 0 failed after 4 attempt(s): rate_limited',
  ]);
  expect(limiterLog.filter((line) => line.includes('limits the rate'))).toHaveLength(4);
  // The last report arrives before the run leaves.
  expect(limiterLog.filter((line) => line.includes('which has ended'))).toEqual([]);
  // A loaded server may deliver two signals in reverse order.
  expect(history.mostSignalsUnderWay()).toBe(1);
});

test('a provider that asks for an endless wait is called again after the maximum wait', async () => {
  server.reset((call) =>
    call.attempt === 1 ? rateLimitAnswer('Never', { 'retry-after': '9'.repeat(15) }) : oneWord(call),
  );
  const { outcome, history } = await run(1, {}, 'endless');
  expect(outcome).toMatchObject({ status: 'completed', chunks: [{ attempts: 2 }] });
  expect(backoffSeconds(history)).toEqual([longestProviderWaitSeconds]);
});

test('the breaker opens for a provider that is down, and its probes are the next attempts', async () => {
  server.reset(() => ({ kind: 'answer', status: 503, body: 'down' }));
  const { outcome, limiterLog, history } = await run(3, { limits: { ...wide, breakerFailures: 3 } }, 'down');
  expect(outcome.chunks?.map(({ error, attempts }) => [error, attempts])).toEqual([
    ['http_503', 4],
    ['http_503', 4],
    ['http_503', 4],
  ]);
  // Three calls at once, then one probe per minute.
  const starts = history.startsOf('processChunk').map((seconds) => Math.floor(seconds / 60));
  expect(starts).toEqual([0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(limiterLog.filter((line) => line === 'Limiter test/model: opened the breaker for 60s: down')).toHaveLength(10);
});

test.each([401, 403])(
  'a %i fails all chunks at once with few calls, and only a 401 stops other runs',
  async (answer) => {
    server.reset(() => ({ kind: 'answer', status: answer, body: { error: { message: 'Incorrect API key' } } }));
    const { outcome, status, limiterLog, history } = await run(100, {}, `refused-${answer}`);
    expect(server.calls.length).toBeLessThanOrEqual(5);
    expect(outcome).toMatchObject({ status: 'failed', failedChunks: 100 });
    expect(new Set(outcome.chunks?.map(({ error }) => error))).toEqual(new Set(['unauthorized']));
    expect(outcome.chunks?.reduce((sum, { attempts = 0 }) => sum + attempts, 0)).toBe(server.calls.length);
    expect(outcome.chunks?.[99]?.message).toBe('unauthorized: Incorrect API key');
    expect(status).toMatchObject({ state: 'failed', phase: 'done' });
    expect(limiterLog.filter((line) => line.includes('suspended for 300s'))).toHaveLength(answer === 401 ? 1 : 0);
    // There is no probe after a minute and no backoff.
    expect(history.startsOf('processChunk').at(-1)).toBeLessThan(60);
  },
);

test('a run without a response from its limiter continues after 30 s with at most five calls and reports it', async () => {
  server.reset((call) => ({ ...oneWord(call), delayMs: 50 }));
  const { outcome, status, log, history } = await run(20, { limits: { ...wide, maxConcurrent: 50 } }, 'silent', {
    limiterIsSilent: true,
  });
  expect(outcome.status).toBe('completed');
  expect(server.mostInFlight).toBe(5);
  expect(status.degraded).toBe(true);
  expect(log).toContain(
    "Limiter test/model: no response for 30 s; continuing within each worker's share of the limits",
  );
  const [asked, called] = ['sendToLimiter', 'processChunk'].map((type) => history.secondsOf(type)[0] ?? 0);
  expect((called ?? 0) - (asked ?? 0)).toBeGreaterThanOrEqual(30);
});

test('a run whose limiter is silent keeps the limits per minute and per burst', async () => {
  server.reset(oneWord);
  const limits = { ...wide, requestsPerMinute: 3, burstLimit: 2 };
  const { outcome, history } = await run(12, { limits }, 'silent-limited', { limiterIsSilent: true });
  expect(outcome.status).toBe('completed');
  expect(server.calls).toHaveLength(12);
  // Only calls that were made count, at the time at which the limits count them.
  const scheduled = history.secondsOfSuccesses('processChunk');
  expect(scheduled).toHaveLength(12);
  const within = (seconds: number) =>
    Math.max(...scheduled.map((start) => scheduled.filter((at) => at > start - seconds && at <= start).length));
  // Calls scheduled at the same moment may start in any order.
  expect(within(59)).toBeLessThanOrEqual(3);
  expect(within(10)).toBeLessThanOrEqual(2);
});

test('a run whose limiter is silent names each permit of its own to it', async () => {
  server.reset((call) => ({ ...oneWord(call), delayMs: 50 }));
  const limits = { ...wide, maxConcurrent: 1 };
  const { outcome, history } = await run(3, { limits }, 'silent-named', { limiterIsSilent: true });
  expect(outcome.status).toBe('completed');
  const namedIds = (next: string) =>
    [...history.text().matchAll(/"permitId":"([^"]+-own-[^"]+)","(requestId|outcome)"/g)].flatMap(([, id, field]) =>
      field === next ? [id] : [],
    );
  const reported = namedIds('outcome');
  expect(reported).toHaveLength(3);
  expect(namedIds('requestId')).toContain(reported.at(-1));
  // A permit that names a withdrawn request ends with it.
  expect(history.text()).toContain(`"permitId":"${reported[2]}","requestId":"${reported[2]}"`);
});

test('a run whose limiter is silent keeps each worker’s share of the limits when it continues as new', async () => {
  const released = Promise.withResolvers<void>();
  server.reset((call) => ({ ...oneWord(call), after: released.promise }));
  const { handle, outcome, history } = await run(12, {}, 'silent-continued', {
    limiterIsSilent: true,
    meanwhile: async (handle) => {
      await expect.poll(() => server.inFlight, { timeout: 60_000 }).toBe(5);
      await growHistory(handle, 2_100);
      // A query is answered after all earlier signals, so the run is suspended by then.
      await handle.query('status');
      released.resolve();
    },
  });
  expect(outcome.status).toBe('completed');
  expect((await handle.describe()).runId).not.toBe(handle.firstExecutionRunId);
  expect(history.startsOf('processChunk')).toHaveLength(7);
  // Only calls under a limiter's permit have a time.
  expect(history.text()).not.toContain('"permitMs"');
});

test('a run whose limiter is silent throttles a rate-limited key by itself', async () => {
  server.reset((call) => (call.number < 5 ? rateLimitAnswer('Requests per minute limit exceeded') : oneWord(call)));
  const options = { limiterIsSilent: true, throttle: { day: 86_400, rps: 60, other: 900 } };
  const { outcome, history } = await run(5, {}, 'silent-throttled', options);
  expect(outcome.chunks?.map(({ status, attempts }) => [status, attempts])).toEqual(
    Array.from({ length: 5 }, () => ['completed', 1]),
  );
  const starts = history.startsOf('processChunk');
  expect(starts).toHaveLength(10);
  expect(starts[5]).toBeGreaterThanOrEqual(60);
});

function backoffSeconds(history: RunHistory): number[] {
  const seconds = history.timerSeconds();
  return history
    .timerSummaries()
    .flatMap((summary, index) =>
      typeof summary === 'string' && summary.startsWith('Chunk 0: rate_limited')
        ? [Math.round(seconds[index] ?? 0)]
        : [],
    );
}
