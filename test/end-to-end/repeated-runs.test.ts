import type { WorkflowHandle } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EncodeOutcome } from '../../contract/workflow/encode.ts';
import { MediaServer } from '../fixtures/media-server.ts';
import { longWav, probeAudio } from '../support/media.ts';
import { TestStack } from '../support/stack.ts';

// Crons, schedules and resets, on the server that people run: the time-skipping one knows neither of the last two.

let stack: TestStack;
let media: MediaServer;
let short: string;
let long: string;

beforeAll(async () => {
  [stack, media] = await Promise.all([TestStack.start(), MediaServer.start()]);
  short = await longWav({ seconds: 2 });
  long = await longWav({ seconds: 3 });
});
afterAll(async () => {
  await stack.stop();
  await media.stop();
});

/** In the folder that the container may read. */
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

test('a cron encodes the source that there is at each of its runs', async () => {
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

test('a schedule made by Temporal’s command line encodes the source that there is each time', async () => {
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

/** A source whose bytes come when the test says so. */
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
  // Another job would have fetched it again.
  expect(media.count(`GET /${name}.wav`)).toBe(1);
}

test.each(['FirstWorkflowTask', 'LastWorkflowTask'])(
  'a run that is reset to its %s while its job is at work takes the result of that job',
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

test('the next try of a run that ran out of its time takes the result of the job that went on', async () => {
  const source = await heldSource('timeout');
  const handle = await stack.client.workflow.start('encode', {
    workflowId: randomUUID(),
    taskQueue: 'holdfast',
    args: [source.input],
    // Each try has this time; the one that comes after the job's end needs a moment of it.
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
