import { spawnSync } from 'node:child_process';
import { existsSync, linkSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import fs, { mkdir, readFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ServiceError, WorkflowExecutionAlreadyStartedError, WorkflowFailedError } from '@temporalio/client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { CliError } from '../../../cli/cli-error.ts';
import { adoptStaging } from '../../../cli/media/kept-rerun.ts';
import type { DeliveryPlan, RunDelivery } from '../../../cli/media/run-delivery.ts';
import { TakenPlaces } from '../../../cli/media/taken-places.ts';
import { CommandRun, type CommandRunParts } from '../../../cli/run/command-run.ts';
import { encodeCommand } from '../../../cli/run/encode-workflow.ts';
import { sharesFiles } from '../../../cli/run/media-check.ts';
import type { RunTask } from '../../../cli/run/workflow-command.ts';
import type { Stack } from '../../../cli/stack/stack.ts';
import { findKeptStaging, type Staging, sweepStaging } from '../../../client/staging.ts';
import { testFolder } from '../../support/folder.ts';

const url = 'https://example.org/talk.wav';

test('Ctrl-C while the source of a preview is measured ends the command with the exit code of the signal', async () => {
  const folder = testFolder();
  const run = new CommandRun({
    command: encodeCommand,
    task: {
      source: { kind: 'url', url, name: 'talk' },
      isPreview: true,
      delivery: { destination: { kind: 'folder', path: folder }, names: [], overwrite: false, inputs: [] },
    },
    settings: { userFolder: folder },
    client: { workflow: { start: async () => Promise.reject(new Error('aborted')) } },
    stack: { facts: { mediaRoot: folder } },
    interrupts: { first: AbortSignal.abort(), exitCode: 130 },
  } as unknown as CommandRunParts<'encode'>);
  await expect(run.execute()).rejects.toMatchObject({ message: expect.stringContaining('Cancelled'), exitCode: 130 });
});

const media = { duration: 1, bitrate: 128, container: 'mp3', size: 1 };
const outcome = {
  outputs: [{ ...media, format: 'mp3_128', sha256: 'a'.repeat(64), streams: [] }],
  source: { ...media, codec: 'mp3', channels: 1, sampleRate: 48_000 },
  ...{ attempts: 1, rateLimitHits: 0, connectionErrors: 0, elapsedSeconds: 1 },
};

interface RunEvents {
  /** Called when the server has accepted the run; awaited before it answers. */
  onStart?: () => unknown;
  result?: () => Promise<unknown>;
  terminate?: () => Promise<unknown>;
}

/** A run on another machine's stack that writes its output at once. */
function runTo(
  folder: string,
  name: string,
  parts: Partial<CommandRunParts<'encode'>>,
  { onStart = () => {}, result = async () => Promise.resolve(outcome), terminate }: RunEvents = {},
) {
  const start = async (_: unknown, { args: [input] }: { args: [{ outputs: [{ uploadUrl: string }] }] }) => {
    writeFileSync(fileURLToPath(input.outputs[0].uploadUrl), name);
    await onStart();
    return { firstExecutionRunId: 'r', result, terminate };
  };
  const destination = { kind: 'folder', path: folder } as const;
  return new CommandRun({
    command: {
      ...encodeCommand,
      deliver: async (_: unknown, delivery: RunDelivery) => await delivery.deliver(name),
      summarize: () => ({ loudness: [], notes: [] }),
    },
    task: {
      source: { kind: 'url', url, name: 'talk' },
      target: 'mp3',
      delivery: { destination, names: [name], overwrite: true, inputs: [] },
      buildInput: (sourceUrl: string, staging: Staging) => ({
        sourceUrl,
        outputs: [{ format: 'mp3_128', uploadUrl: staging.outputUrl(name) }],
      }),
    },
    settings: { userFolder: folder },
    client: { withAbortSignal: (_: unknown, act: () => unknown) => act(), workflow: { start } },
    stack: { kind: 'external', facts: { mediaRoot: folder, taskQueue: 'q' }, broken: new Promise(() => {}) },
    progress: { note: () => {}, show: () => {}, stop: () => {} },
    interrupts: { first: new AbortController().signal, exitCode: 130 },
    ...{ common: {}, detach: false, pauseMs: 50, ...parts },
  } as unknown as CommandRunParts<'encode'>);
}

function changeOwner(file: string, changes: object): void {
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...changes }));
}

function fillDisk(): void {
  const full = Object.assign(new Error('full'), { code: 'ENOSPC' });
  const write = vi.spyOn(fs, 'writeFile').mockRejectedValue(full);
  syncBuiltinESMExports();
  onTestFinished(() => {
    write.mockRestore();
    syncBuiltinESMExports();
  });
}

test('delivers the finished output of a run although the disk is full', async () => {
  const folder = testFolder();
  const report = await runTo(folder, 'talk.mp3', {}, { onStart: fillDisk }).execute();
  expect(report).toMatchObject({ state: 'succeeded', files: ['talk.mp3'] });
  expect(await readFile(join(folder, 'talk.mp3'), 'utf8')).toBe('talk.mp3');
});

test('keeps an output that cannot be delivered although the disk is full', async () => {
  const folder = testFolder();
  await mkdir(join(folder, 'talk.mp3'));
  const { state, message = '' } = await runTo(folder, 'talk.mp3', {}, { onStart: fillDisk }).execute();
  expect(state).toBe('undelivered');
  const [, staged = ''] = /cannot be recorded in (\S+): no space is left on its disk/.exec(message) ?? [];
  expect(await readFile(join(staged, 'out/talk.mp3'), 'utf8')).toBe('talk.mp3');
});

test('keeps an output that cannot be delivered for a week from the end of its run', async () => {
  const folder = testFolder();
  await mkdir(join(folder, 'talk.mp3'));
  const ownerOf = () =>
    join(folder, readdirSync(folder).find((name) => name.startsWith('encode-')) ?? '', '.owner.json');
  const onStart = () => changeOwner(ownerOf(), { at: '2001-01-01T00:00:00Z' });
  await runTo(folder, 'talk.mp3', {}, { onStart }).execute();
  const { at } = JSON.parse(readFileSync(ownerOf(), 'utf8')) as { at: string };
  expect(Date.now() - Date.parse(at)).toBeLessThan(60_000);
});

test('keeps the files of a detached run although the disk is full', async () => {
  const run = runTo(testFolder(), 'talk.mp3', { detach: true }, { onStart: fillDisk });
  const { state, message = '' } = await run.execute();
  expect(state).toBe('detached');
  const [, staged = ''] = /cannot be recorded in (\S+): no space is left on its disk/.exec(message) ?? [];
  expect(existsSync(join(staged, 'out/talk.mp3'))).toBe(true);
});

const gone = new ServiceError('Failed to get Workflow execution history');
function stackOf(kind: Stack['kind'], folder: string, broken: Promise<never> = new Promise(() => {})): Stack {
  broken.catch(() => undefined);
  return { kind, facts: { mediaRoot: folder, taskQueue: 'q', command: 'start' }, broken } as unknown as Stack;
}
const refuse = async (reason: Error) => {
  await Promise.resolve();
  throw reason;
};

test.each<[string, (folder: string) => Partial<CommandRunParts<'encode'>>, RunEvents]>([
  [
    'whose stack another command has stopped',
    (folder) => ({ stack: stackOf('attached', folder, Promise.reject(new CliError('It has ended.'))) }),
    { result: async () => new Promise(() => {}) },
  ],
  ['whose Temporal server is gone', () => ({}), { result: async () => refuse(gone) }],
  [
    'that cannot be terminated after a part of its own stack died',
    (folder) => ({ stack: stackOf('own', folder) }),
    { result: async () => refuse(gone), terminate: async () => refuse(gone) },
  ],
])('keeps the files of a run %s, and says how to fetch them', async (_, partsIn, events) => {
  const folder = testFolder();
  const { state, message } = await runTo(folder, 'talk.mp3', partsIn(folder), events).execute();
  expect(state).toBe('failed');
  expect(message).toMatch(/Fetch it: +npx holdfast encode --wait encode-talk-/);
  const kept = await findKeptStaging(folder, 'r');
  expect(kept?.delivery).toMatchObject({ names: ['talk.mp3'] });
  expect(existsSync(kept?.staging.outputPath('talk.mp3') ?? '')).toBe(true);
});

test.each<[string, Stack['kind'], RunEvents]>([
  ['has failed', 'external', { result: async () => refuse(new WorkflowFailedError('', undefined, 'TIMEOUT')) }],
  ['was terminated', 'own', { result: async () => refuse(gone), terminate: async () => Promise.resolve() }],
])('removes the files of a run that %s', async (_, kind, events) => {
  const folder = testFolder();
  const { state, message } = await runTo(folder, 'talk.mp3', { stack: stackOf(kind, folder) }, events).execute();
  expect([state, message]).toEqual(['failed', expect.not.stringContaining('--wait')]);
  expect(readdirSync(folder)).toEqual([]);
});

test('keeps the files of a run whose start was not answered', async () => {
  const folder = testFolder();
  const onStart = () => {
    throw new ServiceError('Failed to start Workflow', { cause: new Error('14 UNAVAILABLE: away') });
  };
  await expect(runTo(folder, 'talk.mp3', {}, { onStart }).execute()).rejects.toThrow(
    /Failed to start Workflow: 14 UNAVAILABLE: away\nIt is unknown whether .*\n {2}Fetch it: .*--wait encode-talk-/,
  );
  expect(readdirSync(join(folder, readdirSync(folder)[0] ?? '', 'out'))).toEqual(['talk.mp3']);
});

test('removes the folder of a run whose id is in use', async () => {
  const folder = testFolder();
  const onStart = () => {
    throw new WorkflowExecutionAlreadyStartedError('', 'talk-1', 'encode');
  };
  const run = runTo(folder, 'talk.mp3', { workflowId: 'talk-1' }, { onStart });
  await expect(run.execute()).rejects.toThrow('talk-1 is already active');
  expect(readdirSync(folder)).toEqual([]);
});

test('a killed command leaves the files of its run to --wait', async () => {
  const folder = testFolder();
  const started = Promise.withResolvers<void>();
  const onStart = async () => {
    started.resolve();
    return new Promise(() => {});
  };
  void runTo(folder, 'talk.mp3', {}, { onStart }).execute();
  await started.promise;
  const [name = ''] = readdirSync(folder);
  const owner = join(folder, name, '.owner.json');
  const input = { outputs: [{ uploadUrl: pathToFileURL(join(folder, name, 'out', 'talk.mp3')).href }] };
  changeOwner(owner, { pid: process.ppid });
  expect(await adoptStaging(input, 'r', folder)).toBeUndefined();
  changeOwner(owner, { pid: spawnSync('true').pid });
  await sweepStaging(folder, expect.unreachable);
  expect(await adoptStaging(input, 'r', folder)).toMatchObject({ delivery: { names: ['talk.mp3'] } });
  expect((await findKeptStaging(folder, 'r'))?.staging.folder).toBe(join(folder, name));
});

test('no run replaces the output of another run whose name differs only in case', async () => {
  const folder = testFolder();
  const taken = new TakenPlaces();
  await runTo(folder, 'Talk.mp3', { taken }).execute();
  // On a disk without case, both names lead to one file.
  linkSync(join(folder, 'Talk.mp3'), join(folder, 'talk.mp3'));
  const { state, message } = await runTo(folder, 'talk.mp3', { taken }).execute();
  expect([state, message]).toEqual(['undelivered', expect.stringContaining('replace the output of another run')]);
  expect(await readFile(join(folder, 'talk.mp3'), 'utf8')).toBe('Talk.mp3');
});

const remote = { kind: 'url', url, name: 'talk' } as const;
const store = { kind: 'store', prefix: 's3://bucket/' } as const;
test.each<[boolean, Pick<RunTask, 'source'>, DeliveryPlan['destination']]>([
  [true, { source: { kind: 'file', path: '/talk.wav', name: 'talk' } }, store],
  [true, { source: remote }, { kind: 'folder', path: '/out' }],
  [false, { source: remote }, store],
])(
  'states as %s that a run of %j to %j shares files of this machine with the container',
  (shared, facts, destination) => {
    const delivery = { destination, names: [], overwrite: false, inputs: [] };
    expect(sharesFiles({ ...facts, target: '', delivery, buildInput: () => ({}) })).toBe(shared);
  },
);
