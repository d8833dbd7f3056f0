import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot, readSettings } from '../../cli/settings.ts';
import { type Launch, LocalProcess } from '../../cli/stack/local-process.ts';
import { LocalTranscriber } from '../../cli/stack/local-transcriber.ts';
import { Watchdog } from '../../cli/stack/watchdog.ts';
import { ProcessingOutcome } from '../../contract/workflow/processing.ts';
import { TranscriptionServer, type TranscriptionCall } from '../fixtures/transcription-server.ts';
import { TestContainer } from '../support/container.ts';
import { speechWav } from '../support/media.ts';
import { testEnvironment } from '../support/process.ts';
import { TestStack } from '../support/stack.ts';
import { endAfterAll, stopAfterAll } from '../support/stop-after-all.ts';
import { toolPath } from '../support/tools.ts';
import { Barrier } from './support/barrier.ts';

// The real engine, started by the command line's own code. A server in front of it counts the calls.

await toolPath('TRANSCRIBER_PYTHON');

const logs = await mkdtemp(join(tmpdir(), 'holdfast-transcriber-'));
const watchdog = new Watchdog();
const engines: LocalProcess[] = [];
const launch: Launch = ({ logName, ...options }) => {
  const engine = new LocalProcess({ ...options, folder: projectRoot, logFile: join(logs, `${logName}.log`), watchdog });
  engines.push(engine);
  return engine;
};
const settings = { ...readSettings({ TEMPORAL_CONFIG_FILE: '/nowhere' }), inheritedEnvironment: testEnvironment() };
const transcriber = await LocalTranscriber.listen(launch, settings, () => undefined);
endAfterAll(async () => {
  await transcriber.killAndWait();
  watchdog.close();
  await rm(logs, { recursive: true });
});
const url = `${transcriber.url}/v1/audio/transcriptions`;
const counter = await stopAfterAll(TranscriptionServer.start(() => ({ kind: 'pass', url })));
const barrier = await stopAfterAll(Barrier.make());
const stack = await stopAfterAll(
  TestStack.start({
    sharesMedia: true,
    containerEnvironment: barrier.environment,
    workerEnvironment: { LOCAL_PROVIDER_URL: new URL(counter.url).origin },
  }),
);
await copyFile(speechWav, join(stack.container.mediaRoot, 'talk.wav'));

async function start(folder: string) {
  return await stack.run('processing', {
    sourceUrl: stack.container.fileUrl('talk.wav'),
    uploadUrlPrefix: stack.container.fileUrl(`${folder}/`),
    chunkDuration: 8,
    provider: 'local/tiny.en',
    retry: { baseDelay: 1, maxDelay: 2 },
  });
}

/** The run's transcript, and the number of calls for each chunk. */
async function endOf(handle: Awaited<ReturnType<typeof start>>) {
  const { status, transcript, chunks } = ProcessingOutcome.parse(await handle.result());
  const counts = chunks?.map(({ index }) => counter.callsOf(index).length);
  return { status, counts, transcript: await readFile(new URL(transcript?.json ?? ''), 'utf8') };
}

/** Waits until the engine works on the latest call of a chunk. */
async function untilTranscribing(index: number): Promise<TranscriptionCall> {
  return await stack.worker.until(`transcription of chunk ${index}`, async () => {
    const log = await readFile(join(logs, 'transcriber.log'), 'utf8').catch(() => '');
    const begun = log.match(/^Transcribing /gm)?.length ?? 0;
    const ended = log.match(/^(?:Transcribed|The client disconnected) /gm)?.length ?? 0;
    return begun > ended && counter.callsOf(index).at(-1);
  });
}

test('a run that loses container, transcriber, worker and Temporal has the transcript of one that loses nothing, and repeats only the calls that were cut off', async () => {
  const undisturbed = await endOf(await start('undisturbed'));
  expect(undisturbed).toMatchObject({ status: 'completed', counts: [1, 1, 1] });

  // Answers wait, so that worker and Temporal end during a call.
  const never = new Promise<void>(() => undefined);
  const temporalEnded = Promise.withResolvers<void>();
  counter.reset(({ index, attempt }) => {
    const after = attempt > 1 ? undefined : [undefined, never, temporalEnded.promise][index];
    return { kind: 'pass', url, ...(after && { after }) };
  });
  await barrier.shut('ffmpeg', '-i');
  const handle = await start('disturbed');
  await stack.container.process.until('held encode', () => barrier.isReached('ffmpeg'));
  await stack.container.process.stop('SIGKILL');
  await barrier.open();
  stack.containers[0] = await TestContainer.restart(stack.container);

  await untilTranscribing(0);
  engines.at(-1)?.kill();
  await untilTranscribing(1);
  await stack.worker.stop('SIGKILL');
  await stack.startWorker();
  await stack.worker.until('call of the last chunk', () => counter.callsOf(2).length > 0, 120_000);
  await stack.temporal.process.stop('SIGKILL');
  temporalEnded.resolve();
  await stack.temporal.restart();

  const disturbed = await endOf(handle);
  expect(engines).toHaveLength(2);
  // The retry of the first chunk may come after other chunks.
  expect([0, 1, 2].map((index) => counter.callsOf(index).map(({ status }) => status))).toEqual([
    [502, 200],
    [undefined, 200],
    [200],
  ]);
  expect(disturbed).toEqual({ ...undisturbed, counts: [2, 2, 1] });
});
