import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Payload } from '@temporalio/common';
import { defaultPayloadConverter } from '@temporalio/common';
import { msToTs } from '@temporalio/common/lib/time.js';
import { expect, test } from 'vitest';
import { encodeCommand } from '../../../cli/run/encode-workflow.ts';
import type { RunReport } from '../../../cli/run/run-report.ts';
import { waitForEach } from '../../../cli/run/wait-for-runs.ts';
import type { StackWork } from '../../../cli/run/with-stack.ts';
import type { RunOptions } from '../../../cli/run/workflow-command.ts';
import type { Settings } from '../../../cli/settings.ts';
import { Staging } from '../../../client/staging.ts';
import { testFolder } from '../../support/folder.ts';

const media = { duration: 1, bitrate: 128, container: 'mp3', size: 1 };
const outcome = defaultPayloadConverter.toPayload({
  outputs: [{ ...media, format: 'mp3_128', sha256: 'a'.repeat(64), streams: [] }],
  source: { ...media, codec: 'mp3', channels: 1, sampleRate: 48_000 },
  ...{ attempts: 1, rateLimitHits: 0, connectionErrors: 0, elapsedSeconds: 1 },
});
const encrypted = { metadata: { encoding: Buffer.from('binary/encrypted') }, data: Buffer.from('secret') };
const deleted = Object.assign(new Error('5 NOT_FOUND'), { code: 5, details: 'not found', metadata: {} });

interface FakeRun {
  /** Undefined means that Temporal has deleted the history. */
  input?: Payload;
  sourceName?: Payload;
}

interface Request {
  execution: { workflowId: string; runId?: string };
  /** True in a request for the result. */
  waitNewEvent?: boolean;
}

/** Waits for completed runs, whose first executions Temporal has deleted. */
async function waitFor(folder: string, runs: Record<string, FakeRun>): Promise<RunReport[]> {
  const workflowService = {
    describeWorkflowExecution: async ({ execution: { workflowId } }: Request) => ({
      workflowExecutionInfo: {
        execution: { workflowId, runId: 'latest' },
        ...{ type: { name: 'encode' }, taskQueue: 'q', status: 2, firstRunId: 'first' },
        ...{ historyLength: { toNumber: () => 9 }, startTime: msToTs(1), closeTime: msToTs(2) },
        memo: { fields: { sourceName: runs[workflowId]?.sourceName ?? defaultPayloadConverter.toPayload('talk.wav') } },
      },
    }),
    getWorkflowExecutionHistory: async ({ execution: { workflowId, runId }, waitNewEvent }: Request) => {
      if (waitNewEvent === true) {
        return {
          history: { events: [{ workflowExecutionCompletedEventAttributes: { result: { payloads: [outcome] } } }] },
        };
      }
      const input = runs[workflowId]?.input;
      if (input === undefined || runId === 'first') throw deleted;
      return { history: { events: [{ workflowExecutionStartedEventAttributes: { input: { payloads: [input] } } }] } };
    },
  };
  const connection = { workflowService, withAbortSignal: (_: unknown, act: () => unknown) => act() };
  const work = {
    stack: { connection, facts: { mediaRoot: folder, namespace: 'default' }, broken: new Promise(() => {}) },
    progress: { note: () => {}, show: () => {}, stop: () => {} },
    interrupts: { first: new AbortController().signal },
    onAbandon: () => {},
  } as unknown as StackWork;
  const settings = { userFolder: folder } as Settings;
  return await waitForEach(encodeCommand, Object.keys(runs), { overwrite: false } as RunOptions, settings, work);
}

/** Stages the output of a run whose command was killed on a host. Returns the run, and its staging folder. */
async function killedOn(host: string, folder: string): Promise<{ run: FakeRun; staging: Staging }> {
  const staging = new Staging(folder, 'encode-talk-1');
  await staging.create();
  writeFileSync(staging.outputPath('talk.mp3'), 'sound');
  await staging.keep(undefined, {
    destination: { kind: 'folder', path: folder },
    names: ['talk.mp3'],
    overwrite: false,
  });
  const owner = { pid: spawnSync('true').pid, at: new Date().toISOString(), kept: true, host };
  writeFileSync(join(staging.folder, '.owner.json'), JSON.stringify(owner));
  const uploadUrl = staging.outputUrl('talk.mp3');
  return { run: { input: defaultPayloadConverter.toPayload({ outputs: [{ uploadUrl }] }) }, staging };
}

const stored = { input: defaultPayloadConverter.toPayload({ outputs: [{ uploadUrl: 's3://bucket/talk.mp3' }] }) };

test('waits for the other runs although one cannot be read', async () => {
  const runs = { deleted: {}, locked: { input: encrypted }, unknown: { ...stored, sourceName: encrypted }, stored };
  expect(await waitFor(testFolder(), runs)).toMatchObject([
    { workflowId: 'deleted', state: 'succeeded' },
    { workflowId: 'locked', state: 'succeeded' },
    { workflowId: 'unknown', state: 'failed', message: expect.stringContaining('PAYLOAD_KEY') },
    { workflowId: 'stored', state: 'succeeded' },
  ]);
});

test('writes the files of a killed command although Temporal has deleted the first execution of its run', async () => {
  const folder = testFolder();
  const { run, staging } = await killedOn(hostname(), folder);
  expect(await waitFor(folder, { run })).toMatchObject([{ state: 'succeeded', files: ['talk.mp3'] }]);
  expect(existsSync(staging.folder)).toBe(false);
});

test('writes no files of a command on another host, which may still live, and says where they are', async () => {
  const folder = testFolder();
  const { run, staging } = await killedOn('other', folder);
  const [report] = await waitFor(folder, { run });
  expect(report).toMatchObject({ state: 'undelivered', files: [], message: expect.stringContaining('the host other') });
  expect(report?.message).toContain(`copy them from ${staging.outputFolder}. `);
  expect(existsSync(staging.outputPath('talk.mp3'))).toBe(true);
  await staging.remove();
  expect(await waitFor(folder, { run })).toMatchObject([{ state: 'succeeded' }]);
});
