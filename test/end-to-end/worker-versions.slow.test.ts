import type { WorkflowHandle } from '@temporalio/client';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { EncodeOutcome } from '../../contract/workflow/encode.ts';
import { limiterWorkflowId } from '../../contract/limiter.ts';
import { ProcessingOutcome } from '../../contract/workflow/processing.ts';
import { bundleWorkflows, writeWorkflowBundle } from '../../worker/workflow-bundle.ts';
import { MediaServer } from '../fixtures/media-server.ts';
import { oneWord, TranscriptionServer } from '../fixtures/transcription-server.ts';
import { longWav } from '../support/media.ts';
import { resumableInput } from '../support/resumable-input.ts';
import { patient, TestStack } from '../support/stack.ts';
import { useFolder } from '../support/folder.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

// Rolls out builds of one deployment as described in docs/deploys.md.

const folder = useFolder();

const key = 'test/model';

const nextBundle = join(folder, 'next.js');
const provider = await stopAfterAll(TranscriptionServer.start(oneWord));
const media = await stopAfterAll(MediaServer.start());
media.serve('/source.wav', await longWav({ seconds: 2 }));
await writeFile(
  join(folder, 'providers.json'),
  JSON.stringify({ [key]: { kind: 'openai-transcription', url: provider.url, limits: { maxConcurrent: 1 } } }),
);
const nextWorkflows = fileURLToPath(new URL('../fixtures/workflows/next-build.ts', import.meta.url));
await writeWorkflowBundle(nextBundle, await bundleWorkflows(nextWorkflows));
const stack = await stopAfterAll(
  TestStack.start({
    containerEnvironment: patient,
    workerEnvironment: {
      DEPLOYMENT_NAME: 'holdfast',
      BUILD_ID: '1.0',
      PROVIDERS_FILE: join(folder, 'providers.json'),
      MEDIA_ROOT: folder,
    },
  }),
);

async function makeCurrent(build: string | undefined): Promise<void> {
  const command = ['worker', 'deployment', 'set-current-version', '--deployment-name', 'holdfast', '--yes'];
  const version = build === undefined ? ['--unversioned'] : ['--build-id', build];
  // The server rejects a version until its workers poll all task queues of the deployment.
  await stack.worker.until(`version ${build ?? 'without a build'} that may be current`, () =>
    stack.temporal.cli(...command, ...version).catch(() => undefined),
  );
}

/** Build of the worker that completed the run's last workflow task. */
async function lastBuildOf(handle: WorkflowHandle): Promise<string | null | undefined> {
  const { events } = await handle.fetchHistory();
  const completed = (events ?? []).flatMap((event) => event.workflowTaskCompletedEventAttributes ?? []);
  return completed.at(-1)?.deploymentVersion?.buildId;
}

function encodeInput(sourceUrl: string, name: string) {
  const uploadUrl = pathToFileURL(join(stack.container.mediaRoot, name)).href;
  return { sourceUrl, outputs: [{ format: 'mp3_64', uploadUrl }] };
}

async function processingInput(name: string) {
  return { ...(await resumableInput(join(folder, name), 3)), provider: key };
}

function limiter(): WorkflowHandle {
  return stack.client.workflow.getHandle(limiterWorkflowId('default', key));
}

/** A source that is sent when the test releases it. */
function heldSource(path: string) {
  const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const url = media.on(`GET ${path}`, async (_, response) => {
    asked.resolve();
    await released.promise;
    response.writeHead(302, { location: '/source.wav' }).end();
  });
  return { url, asked: asked.promise, release: () => released.resolve() };
}

test('open runs end on the old build, new runs use the new build, and the limiter moves with its permits', async () => {
  await makeCurrent('1.0');
  const answered = Promise.withResolvers<void>();
  const source = heldSource('/held.wav');
  const waiting = await stack.run('encode', encodeInput(source.url, 'held.mp3'));
  provider.reset((call) => (call.number === 0 ? { ...oneWord(call), after: answered.promise } : oneWord(call)));
  const calling = await stack.run('processing', await processingInput('old'));
  await source.asked;
  await stack.worker.until('call under a permit', () => provider.inFlight === 1);
  expect(await lastBuildOf(limiter())).toBe('1.0');

  await stack.addWorker({ BUILD_ID: '2.0', WORKFLOW_BUNDLE: nextBundle });
  await makeCurrent('2.0');
  const newEncode = await stack.run('encode', {});
  expect(await newEncode.result()).toBe('of the next build');
  const newCalling = await stack.run('processing', await processingInput('new'));
  await stack.worker.until('limiter on the new build', async () => (await lastBuildOf(limiter())) === '2.0');
  // A run of the old build holds the only permit.
  await stack.untilStatus(newCalling, 'wait for a permit', ({ chunks = [] }) =>
    chunks.every(({ state }) => state === 'waiting_for_permit'),
  );
  expect(provider.inFlight).toBe(1);

  answered.resolve();
  source.release();
  const outcomes = await Promise.all(
    [calling, newCalling].map(async (run) => ProcessingOutcome.parse(await run.result())),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(['completed', 'completed']);
  expect(provider.calls).toHaveLength(6);
  expect(provider.mostInFlight).toBe(1);
  expect(EncodeOutcome.parse(await waiting.result())).toMatchObject({ attempts: 1, connectionErrors: 0 });
  expect(await Promise.all([waiting, calling, newEncode, newCalling].map(lastBuildOf))).toEqual([
    '1.0',
    '1.0',
    '2.0',
    '2.0',
  ]);
});

test('a run whose build has no worker pauses until that build has one again', async () => {
  await makeCurrent('1.0');
  const source = heldSource('/lost.wav');
  const run = await stack.run('encode', encodeInput(source.url, 'lost.mp3'));
  await source.asked;
  await stack.worker.stop('SIGKILL');
  source.release();
  // Workers of the other build continue but do not take over the run.
  await makeCurrent('2.0');
  expect(await (await stack.run('encode', {})).result()).toBe('of the next build');
  expect((await run.describe()).status.name).toBe('RUNNING');
  await stack.startWorker();
  expect(EncodeOutcome.parse(await run.result())).toMatchObject({ attempts: 1 });
  expect(await lastBuildOf(run)).toBe('1.0');
});

test('only the current build gets runs, and a rollback, even to no versions, takes effect at once', async () => {
  await makeCurrent('2.0');
  const unversioned = await stack.addWorker({ DEPLOYMENT_NAME: '', BUILD_ID: '' });
  const next = await stack.addWorker({ BUILD_ID: '3.0', WORKFLOW_BUNDLE: nextBundle });
  const buildsOf = async (count: number) => {
    const runs = await Promise.all(Array.from({ length: count }, () => stack.run('encode', {})));
    await Promise.all(runs.map(async (run) => run.result().catch(() => undefined)));
    return new Set(await Promise.all(runs.map(lastBuildOf)));
  };
  expect(await buildsOf(5)).toEqual(new Set(['2.0']));
  await makeCurrent('3.0');
  expect(await buildsOf(5)).toEqual(new Set(['3.0']));
  await makeCurrent('1.0');
  expect(await buildsOf(5)).toEqual(new Set(['1.0']));
  await next.stop();
  await makeCurrent(undefined);
  expect(await buildsOf(1)).toEqual(new Set([undefined]));
  provider.reset(oneWord);
  const calling = await stack.run('processing', await processingInput('unversioned'));
  expect(ProcessingOutcome.parse(await calling.result())).toMatchObject({ status: 'completed' });
  expect(await lastBuildOf(calling)).toBeUndefined();
  await unversioned.stop();
});
