import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Storage } from '../../activities/provider/storage.ts';
import { Provider, type ProviderPolicy } from '../../contract/provider.ts';
import { ProcessingOutcome, type WorkflowStatus } from '../../contract/workflow.ts';
import { rateLimited, transcription, TranscriptionServer } from '../fixtures/transcription-server.ts';
import { cutRun } from '../support/cut-run.ts';
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

async function run(count: number, providerSettings: object, environment: string) {
  const provider = Provider.parse({ kind: 'openai-transcription', url: server.url, limits: wide, ...providerSettings });
  const { timeoutSeconds, limits, backoff } = provider;
  const policy: ProviderPolicy = { key: 'test/model', environment, timeoutSeconds, limits, backoff };
  const dependencies = {
    providers: new Map([['test/model', { provider, secret: undefined, policy }]]),
    storage: new Storage(fakePresigner, mediaRoot),
  };
  const input = { ...(await cutRun(mediaRoot, count)), provider: 'test/model' };
  return await time.withWorkers(
    [],
    async (taskQueue) => {
      const handle = await time.start('processing', input, taskQueue);
      const outcome = ProcessingOutcome.parse(await handle.result());
      const status = await handle.query<WorkflowStatus>('status');
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
  const backoffs = history
    .timerSummaries()
    .flatMap((summary, index) =>
      typeof summary === 'string' && summary.startsWith('Chunk 0: rate_limited')
        ? [Math.round(history.timerSeconds()[index] ?? 0)]
        : [],
    );
  expect(backoffs).toEqual([2, 4, 8]);
});
