import { readdir, readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { temporal } from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { ensureWorkflowBundle } from '../../worker/workflow-bundle.ts';
import * as workflows from '../../workflows/index.ts';
import { useRuntime } from '../support/runtime.ts';

// Histories of runs as the server had them (`npm run record-histories`). A run that is open during an upgrade goes on by the new
// code: where that would not have done the same at the same place, Temporal refuses to go on with the run for good.

const { History } = temporal.api.history.v1;

const folder = new URL('../histories/', import.meta.url);
const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.bin.gz')).toSorted();
const recorded = await Promise.all(
  names.map(async (name) => ({ name, history: History.decode(gunzipSync(await readFile(new URL(name, folder)))) })),
);

useRuntime();

test('every recorded run is replayed by this version, command by command', async () => {
  const histories = recorded.map(({ name, history }) => ({ workflowId: name, history }));
  const workflowBundle = await ensureWorkflowBundle();
  const replayed: string[] = [];
  const failures: unknown[] = [];
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, histories)) {
    replayed.push(workflowId);
    if (error !== undefined) failures.push({ name: workflowId, reason: error.message });
  }
  expect(failures).toEqual([]);
  expect(replayed.toSorted()).toEqual(names);
});

test('there is a recorded run of every workflow', () => {
  const types = recorded.map(({ history }) => history.events[0]?.workflowExecutionStartedEventAttributes?.workflowType);
  expect(new Set(types.map((type) => type?.name))).toEqual(new Set(Object.keys(workflows)));
});
