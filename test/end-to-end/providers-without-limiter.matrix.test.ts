import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { transcription, TranscriptionServer } from '../fixtures/transcription-server.ts';
import { longWav } from '../support/media.ts';
import { startS3 } from '../support/s3.ts';
import { TestStack } from '../support/stack.ts';
import { useFolder } from '../support/folder.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

// Waits real minutes for the limits per minute.

const folder = useFolder();

const spoken = () => ({ kind: 'answer', body: transcription([]), delayMs: 150 }) as const;

const provider = await stopAfterAll(TranscriptionServer.start(spoken));
// Each of three workers gets two requests per minute.
const limits = { requestsPerMinute: 6, requestsPerHour: 100_000, burstLimit: 6 };
const narrow = { kind: 'openai-transcription', url: provider.url, secretEnv: 'TEST_SECRET', limits };
await writeFile(join(folder, 'providers.json'), JSON.stringify({ 'test/narrow': narrow }));
const s3 = await stopAfterAll(startS3(['media']));
const stack = await stopAfterAll(
  TestStack.start({
    workerEnvironment: {
      ...s3.environment,
      TEST_SECRET: 'sk-a-secret',
      PROVIDERS_FILE: join(folder, 'providers.json'),
    },
  }),
);
await stack.addWorker();
await stack.addWorker();
await copyFile(await longWav({ seconds: 90 }), join(s3.folder, 'media/speech.wav'));

let count = 0;
function input() {
  count += 1;
  return {
    sourceUrl: 's3://media/speech.wav',
    uploadUrlPrefix: `s3://media/run-${count}/`,
    chunkDuration: 10,
    provider: 'test/narrow',
  };
}

test('workers share the limits if the limiter cannot run', async () => {
  provider.reset(spoken);
  const narrow = 'limiter/default/test/narrow';
  const settings = { limits: {} };
  await stack.client.workflow.start('limiter', {
    workflowId: narrow,
    taskQueue: 'nobody',
    args: ['test/narrow', settings],
  });
  const runs = await Promise.all([1, 2].map(() => stack.run('processing', input())));
  // A worker logs this after its two calls of the minute, 30 s after nobody answered.
  const heldBack = /this worker's share of the limits is used up/;
  for (const worker of stack.workers)
    await worker.until('share that is used up', () => heldBack.test(worker.output), 90_000);
  const times = provider.calls.map(({ startedAtMs }) => startedAtMs);
  expect(times.length).toBeGreaterThanOrEqual(3);
  const within = times.map((end) => times.filter((at) => at > end - 59_000 && at <= end).length);
  expect(Math.max(...within)).toBeLessThanOrEqual(6);
  for (const handle of runs) await handle.terminate();
  await stack.client.workflow.getHandle(narrow).terminate();
});
