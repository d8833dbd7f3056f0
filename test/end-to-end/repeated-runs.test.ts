import type { WorkflowHandle } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { EncodeOutcome } from '../../contract/workflow/encode.ts';
import { MediaServer } from '../fixtures/media-server.ts';
import { longWav, probeAudio } from '../support/media.ts';
import { patient, TestStack } from '../support/stack.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

// Crons, schedules and resets need a complete server: the time-skipping one supports neither schedules nor resets.

const [stack, media] = await Promise.all([
  stopAfterAll(TestStack.start({ containerEnvironment: patient })),
  stopAfterAll(MediaServer.start()),
]);
const short = await longWav({ seconds: 2 });
const long = await longWav({ seconds: 3 });

/** Path in the container's media root. */
const inMedia = (name: string) => join(stack.container.mediaRoot, name);

function inputFor(name: string) {
  const [sourceUrl, uploadUrl] = [`${name}.wav`, `${name}.mp3`].map((file) => pathToFileURL(inMedia(file)).href);
  return { sourceUrl, outputs: [{ format: 'mp3_64', uploadUrl }] };
}

async function untilOutputLasts(name: string, seconds: number): Promise<void> {
  await stack.worker.until(`an output of ${seconds} s`, async () => {
    const found = await probeAudio(inMedia(`${name}.mp3`)).catch(() => undefined);
    return found !== undefined && Math.abs(found.duration - seconds) < 0.2;
  });
}

test('each run of a cron encodes the current source', async () => {
  await copyFile(short, inMedia('cron.wav'));
  const handle = await stack.client.workflow.start('encode', {
    workflowId: randomUUID(),
    taskQueue: 'holdfast',
    args: [inputFor('cron')],
    cronSchedule: '@every 1s',
  });
  await untilOutputLasts('cron', 2);
  await copyFile(long, inMedia('cron.wav'));
  await untilOutputLasts('cron', 3);
  await handle.terminate();
});

test('each run of a schedule from Temporal’s command line encodes the current source', async () => {
  await copyFile(short, inMedia('nightly.wav'));
  await stack.temporal.cli(
    ...['schedule', 'create', '--schedule-id', 'nightly', '--interval', '1s', '--overlap-policy', 'Skip'],
    ...['--type', 'encode', '--workflow-id', 'nightly', '--task-queue', 'holdfast'],
    ...['--input', JSON.stringify(inputFor('nightly'))],
  );
  await untilOutputLasts('nightly', 2);
  await copyFile(long, inMedia('nightly.wav'));
  await untilOutputLasts('nightly', 3);
  await stack.temporal.cli('schedule', 'delete', '--schedule-id', 'nightly');
});

/** A source that is sent when the test releases it. */
async function heldSource(name: string) {
  const body = await readFile(short);
  const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const sourceUrl = media.on(`GET /${name}.wav`, async (_, response) => {
    asked.resolve();
    await released.promise;
    response.writeHead(200, { 'content-length': body.length }).end(body);
  });
  const input = { sourceUrl, outputs: [{ format: 'mp3_64', uploadUrl: pathToFileURL(inMedia(`${name}.mp3`)).href }] };
  return { input, asked: asked.promise, release: () => released.resolve() };
}

async function expectOneJob(handle: WorkflowHandle, name: string): Promise<void> {
  const outcome = EncodeOutcome.parse(await handle.result());
  expect(outcome).toMatchObject({ attempts: 1, rateLimitHits: 0, connectionErrors: 0 });
  expect((await probeAudio(inMedia(`${name}.mp3`))).duration).toBeCloseTo(2, 1);
  // A second job would have fetched the source again.
  expect(media.count(`GET /${name}.wav`)).toBe(1);
}

test.each(['FirstWorkflowTask', 'LastWorkflowTask'])(
  'a run that is reset to its %s takes the result of its running job',
  async (place) => {
    const source = await heldSource(place);
    const handle = await stack.run('encode', source.input);
    await source.asked;
    await stack.untilStatus(handle, 'job under way', ({ state }) => state === 'running');
    const { runId } = await handle.describe();
    await stack.temporal.cli(
      ...['workflow', 'reset', '--workflow-id', handle.workflowId, '--type', place, '--reason', 'a test'],
    );
    await stack.untilStatus(handle, 'attempt of the new run', ({ attempt }) => attempt === 1);
    expect((await handle.describe()).runId).not.toBe(runId);
    source.release();
    await expectOneJob(stack.client.workflow.getHandle(handle.workflowId), place);
  },
);

test('the next try of a timed-out run takes the result of the job that continued', async () => {
  const source = await heldSource('timeout');
  const handle = await stack.client.workflow.start('encode', {
    workflowId: randomUUID(),
    taskQueue: 'holdfast',
    args: [source.input],
    // Timeout of each try; the try after the job's end needs only a moment.
    workflowRunTimeout: '3s',
    retry: { maximumAttempts: 20, initialInterval: '1s', backoffCoefficient: 1 },
  });
  await source.asked;
  await stack.worker.until('next try', async () => {
    const { runId } = await stack.client.workflow.getHandle(handle.workflowId).describe();
    return runId !== handle.firstExecutionRunId;
  });
  source.release();
  await expectOneJob(handle, 'timeout');
});
