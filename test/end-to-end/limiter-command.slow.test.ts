import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, expect, test } from 'vitest';
import type { LimiterStats } from '../../contract/limiter.ts';
import { ProcessingOutcome } from '../../contract/workflow/processing.ts';
import { oneWord, TranscriptionServer } from '../fixtures/transcription-server.ts';
import { resumableInput } from '../support/resumable-input.ts';
import { freePort } from '../support/ports.ts';
import { run, testEnvironment, type Environment } from '../support/process.ts';
import { TestStack } from '../support/stack.ts';
import { useFolder } from '../support/folder.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

// `npx holdfast limiter` while a run processes chunks that are already cut.

const key = 'test/whisper-1';
const limiterId = `limiter/staging/${key}`;
const chunkCount = 8;

const folder = useFolder();
/** The provider answers once this resolves. */
let answers = Promise.withResolvers<void>();

const provider = await stopAfterAll(
  TranscriptionServer.start((call) => ({ ...oneWord(call), after: answers.promise })),
);
const providersFile = join(folder, 'providers.json');
const limits = { maxConcurrent: 1, burstLimit: 100 };
await writeFile(providersFile, JSON.stringify({ [key]: { kind: 'openai-transcription', url: provider.url, limits } }));
const stack = await stopAfterAll(
  TestStack.start({
    workerEnvironment: { PROVIDERS_FILE: providersFile, MEDIA_ROOT: folder, HOLDFAST_ENVIRONMENT: 'staging' },
  }),
);

afterAll(() => answers.resolve());

interface Ended {
  code: number | null;
  output: string;
}

async function limiter(args: string[], environment: Environment = {}): Promise<Ended> {
  const { code, output } = await run(process.execPath, ['cli/main.ts', 'limiter', ...args], {
    environment: testEnvironment({
      HOLDFAST_HOME: join(folder, 'home'),
      HOLDFAST_ENVIRONMENT: 'staging',
      TEMPORAL_ADDRESS: stack.temporal.address,
      ...environment,
    }),
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
  });
  return { code, output };
}

async function startRun(): Promise<WorkflowHandle> {
  return await stack.run('processing', { ...(await resumableInput(folder, chunkCount)), provider: key });
}

test('an operator inspects, throttles, limits and resumes a limiter that a run is using', async () => {
  expect(await limiter([key])).toEqual({
    code: 1,
    output:
      `No limiter of ${key} exists in the environment "staging" (${limiterId}). ` +
      `The first run that uses the key starts it: npx holdfast process talk.wav --provider ${key}`,
  });

  const handle = await startRun();
  await stack.worker.until('a call', () => provider.inFlight === 1);
  const looked = await limiter([key]);
  expect(looked.code, looked.output).toBe(0);
  expect(looked.output).toMatch(/^test\/whisper-1 in the environment staging\n {2}state {14}granting permits\n/);
  expect(looked.output).toContain(`    ${handle.workflowId}  `);

  const throttled = await limiter([key, '--throttle', '600', '--reason', 'The quota is used up']);
  expect(throttled.code, throttled.output).toBe(0);
  expect(throttled.output).toMatch(/^ {2}state {14}throttled until .*: The quota is used up$/m);
  answers.resolve();
  answers = Promise.withResolvers();
  const status = await stack.untilStatus(handle, 'throttle', (status) => (status.throttled?.length ?? 0) > 0);
  expect(status.throttled).toMatchObject([{ provider: key, reason: 'The quota is used up' }]);

  const set = await limiter([key, '--set', 'maxConcurrent=3', '--set', 'requestsPerMinute=40']);
  expect(set.output).toContain('  operator override  maxConcurrent 3 (default 1), requestsPerMinute 40 (default 50)\n');
  const short = await limiter([key, '--set', 'permitSeconds=30']);
  expect(short).toEqual({
    code: 1,
    output: expect.stringMatching(/^An override of permitSeconds must be at least 120/) as string,
  });
  expect(provider.calls).toHaveLength(1);

  const resumed = await limiter([key, '--resume', '--set', 'requestsPerMinute=default']);
  expect(resumed.output).toMatch(/^ {2}state {14}granting permits$/m);
  expect(resumed.output).toContain('  operator override  maxConcurrent 3 (default 1)\n');
  await stack.worker.until('three calls', () => provider.inFlight === 3);
  answers.resolve();
  expect(ProcessingOutcome.parse(await handle.result()).status).toBe('completed');
  expect(provider.mostInFlight).toBe(3);

  const json = await limiter([key, '--json']);
  expect(JSON.parse(json.output) as LimiterStats).toEqual({
    requests_last_minute: expect.any(Number) as number,
    limit_per_minute: 50,
    requests_last_hour: chunkCount,
    limit_per_hour: 1000,
    burst_tokens_remaining: expect.any(Number) as number,
    burst_limit: 100,
    total_requests_tracked: chunkCount,
    permits_in_use: 0,
    max_concurrent: 3,
    waiting: 0,
    throttled: false,
    throttle_until: null,
    throttle_reason: null,
  });

  const other = await limiter([key, '--environment', 'production']);
  expect(other.output).toMatch(/^No limiter of .* exists in the environment "production"/);
  await stack.client.workflow.getHandle(limiterId).terminate('a test');
  const ended = await limiter([key]);
  expect(ended).toEqual({
    code: 1,
    output: expect.stringMatching(/is not running \(terminated\)\. It starts with the next run/) as string,
  });
});

test('the command starts nothing without a Temporal server, and explains how to start one', async () => {
  const address = `127.0.0.1:${await freePort()}`;
  expect(await limiter([key], { TEMPORAL_ADDRESS: address })).toEqual({
    code: 1,
    output: `No Temporal server answers at ${address}. Run \`npx holdfast start\`, or set TEMPORAL_ADDRESS to a server that runs elsewhere.`,
  });
});
