import { createReadStream } from 'node:fs';
import { expect, test } from 'vitest';
import { MediaServer } from '../fixtures/media-server.ts';
import { speechWav } from '../support/media.ts';
import { freePort } from '../support/ports.ts';
import type { TestProcess } from '../support/process.ts';
import { patient, TestStack } from '../support/stack.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

let release: () => void;

const media = await stopAfterAll(MediaServer.start());
/** A source that answers after `release`. */
const slow = media.on('GET /slow.wav', (_request, response) => {
  release = () => void createReadStream(speechWav).pipe(response);
});
const port = await freePort();
const stack = await stopAfterAll(
  TestStack.start({
    containerEnvironment: { ...patient, DRAIN_TIMEOUT_SECONDS: '120' },
    workerEnvironment: { METRICS_PORT: String(port), WORKER_ROLES: 'container', BUILD_ID: '', LOG_LEVEL: 'info' },
  }),
);

async function workerSays(path: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: answer.status, text: await answer.text() };
}

/** Starts a job that no worker follows, as other callers of a container do. */
async function submitSlowJob(): Promise<string> {
  const requests = media.count('GET /slow.wav');
  const outputs = [{ format: 'mp3_64', uploadUrl: stack.container.fileUrl('out.mp3') }];
  const jobId = await stack.container.submit('/encode', { sourceUrl: slow, outputs });
  await stack.container.process.until('request for the source', () => media.count('GET /slow.wav') > requests);
  return jobId;
}

function stop({ pid }: TestProcess): void {
  process.kill(pid, 'SIGTERM');
}

test('a worker that stops beside a busy container that does not drain ends at once', async () => {
  const jobId = await submitSlowJob();
  stop(stack.worker);
  expect(await stack.worker.exited).toEqual({ code: 0, signal: null });
  expect(stack.worker.messages()).not.toContain('Keeping the metrics until the containers have drained');
  release();
  expect((await stack.container.untilEnded(jobId)).state).toBe('succeeded');
  await stack.startWorker();
});

test('a worker keeps its metrics and health until its draining container has ended', async () => {
  expect((await workerSays('/metrics')).text).toMatch(/^holdfast_draining(?:\{.*\})? 0$/m);
  const jobId = await submitSlowJob();
  stop(stack.container.process);
  // The worker asks once whether its container drains.
  const ofContainer = async (): Promise<string> => await (await fetch(`${stack.container.url}/metrics`)).text();
  await expect.poll(ofContainer).toMatch(/^holdfast_draining 1$/m);
  stop(stack.worker);
  await stack.worker.untilLogged('Keeping the metrics until the containers have drained');

  expect(await workerSays('/metrics')).toMatchObject({
    status: 200,
    text: expect.stringMatching(/^holdfast_draining(?:\{.*\})? 1$/m),
  });
  expect((await workerSays('/metrics')).text).toMatch(/^holdfast_build_info\{.*node_version="[\d.]+".*\} 1$/m);
  expect(await workerSays('/health')).toMatchObject({ status: 200 });
  expect(await workerSays('/ready')).toMatchObject({ status: 503, text: expect.stringContaining('draining') });
  expect(await ofContainer()).toMatch(/^holdfast_draining 1$/m);
  expect(stack.worker.exit).toBeUndefined();

  release();
  expect(await stack.container.process.exited).toEqual({ code: 0, signal: null });
  expect(await stack.worker.exited).toEqual({ code: 0, signal: null });
  expect(stack.container.process.messages()).toContain(`[JOB_END] Completed encoding job ${jobId}. Active jobs: 0`);
  expect(stack.worker.messages().at(-1)).toBe('Worker stopped');
});
