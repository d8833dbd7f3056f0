import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Storage } from '../../activities/provider/storage.ts';
import { gateWorkflowId, longestProviderWaitSeconds } from '../../contract/names.ts';
import { Provider, type ProviderPolicy } from '../../contract/provider.ts';
import { ProcessingOutcome, type WorkflowStatus } from '../../contract/workflow.ts';
import { rateLimited, transcription, TranscriptionServer } from '../fixtures/transcription-server.ts';
import { RunHistory } from '../support/history.ts';
import { fakePresigner, TimeSkipping } from '../support/time-skipping.ts';

// The workflow's own part, from chunks that are cut already: an earlier run's result is given as what to resume.

let time: TimeSkipping;
let server: TranscriptionServer;
let mediaRoot: string;

const wide = { requestsPerMinute: 100_000, requestsPerHour: 1_000_000, burstLimit: 10_000 };

beforeAll(async () => {
  time = await TimeSkipping.start();
  mediaRoot = await mkdtemp(join(tmpdir(), 'holdfast-chunks-'));
  server = await TranscriptionServer.start(spoken);
});
afterAll(async () => {
  await time.stop();
  await server.stop();
  await rm(mediaRoot, { recursive: true, force: true });
});

const spoken: TranscriptionServer['script'] = ({ index }) => ({
  kind: 'answer',
  body: transcription([{ start: 0, end: 1, text: `w${index}` }]),
});

async function failedRun(count: number) {
  const uploadUrlPrefix = `${pathToFileURL(mediaRoot).href}/`;
  const chunks = Array.from({ length: count }, (_, index) => ({
    ...{ index, start: index, duration: 1, size: 4, sha256: '', status: 'failed', error: 'timeout' },
    url: `${uploadUrlPrefix}chunk-${String(index).padStart(5, '0')}.ogg`,
  }));
  for (const { url } of chunks) await writeFile(fileURLToPath(url), 'OggS');
  const facts = { bitrate: 24, size: 1, duration: count, channels: 1, sampleRate: 24_000, sha256: '' };
  const encoded = { format: 'opus_24', ...facts, url: `${uploadUrlPrefix}encoded.ogg` };
  return { sourceUrl: 'https://media.test/a.wav', uploadUrlPrefix, resume: { encoded, chunks } };
}

async function run(count: number, providerSettings: object, environment: string) {
  const provider = Provider.parse({ kind: 'openai-transcription', url: server.url, limits: wide, ...providerSettings });
  const { timeoutSeconds, limits, backoff } = provider;
  const policy: ProviderPolicy = { key: 'test/model', environment, timeoutSeconds, limits, backoff };
  const dependencies = {
    providers: new Map([['test/model', { provider, secret: undefined, policy }]]),
    storage: new Storage(fakePresigner, mediaRoot),
  };
  const input = { ...(await failedRun(count)), provider: 'test/model' };
  return await time.withWorkers(
    [],
    async (taskQueue) => {
      const handle = await time.start('processing', input, taskQueue);
      const outcome = ProcessingOutcome.parse(await handle.result());
      const status = await handle.query<WorkflowStatus>('status');
      // Without a worker its timers would stand in the way of the next test's skipping.
      await time.environment.client.workflow.getHandle(gateWorkflowId(environment, 'test/model')).terminate();
      return { handle, outcome, status, history: await RunHistory.of(handle) };
    },
    dependencies,
  );
}

test('a run of many chunks continues as new and calls for each chunk once', { timeout: 120_000 }, async () => {
  server.reset(spoken);
  const count = 300;
  const { handle, outcome, status, history } = await run(count, {}, 'many');
  expect(outcome.status).toBe('completed');
  expect(server.calls.map(({ index }) => index).sort((a, b) => a - b)).toEqual(
    Array.from({ length: count }, (_, index) => index),
  );
  expect(server.mostInFlight).toBeLessThanOrEqual(5);
  // The last of several runs: each begins where the one before has left off.
  expect(history.length).toBeLessThan(2_200);
  const { runId } = await handle.describe();
  expect(runId).not.toBe(handle.firstExecutionRunId);
  expect(status.chunks).toHaveLength(count);
  const transcript = JSON.parse(await readFile(join(mediaRoot, 'transcript.json'), 'utf8')) as { text: string };
  expect(transcript.text).toBe(Array.from({ length: count }, (_, index) => `w${index}`).join(' '));
});

test('a provider that is always limited: 2, 4 and 8 s between four attempts, then the chunk has failed', async () => {
  server.reset(() => rateLimited('Slow down'));
  const { outcome, status, history } = await run(1, {}, 'limited');
  expect(outcome).toMatchObject({
    status: 'failed',
    chunks: [{ error: 'rate_limited', message: 'Slow down', attempts: 4 }],
  });
  expect(outcome.transcript).toBeUndefined();
  expect(status.chunks).toEqual([{ index: 0, state: 'failed', error: 'rate_limited', message: 'Slow down' }]);
  expect(backoffSeconds(history)).toEqual([2, 4, 8]);
});

test('a provider that asks to wait for ever is asked again after the longest that anybody waits', async () => {
  server.reset((call) => (call.attempt === 1 ? rateLimited('Never', { 'retry-after': '9'.repeat(15) }) : spoken(call)));
  const { outcome, history } = await run(1, {}, 'for-ever');
  expect(outcome).toMatchObject({ status: 'completed', chunks: [{ attempts: 2 }] });
  expect(backoffSeconds(history)).toEqual([longestProviderWaitSeconds]);
});

/** Of the first chunk, after it was rate limited. */
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
