import { readdir, readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { temporal } from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { ensureWorkflowBundle } from '../../worker/workflow-bundle.ts';
import * as workflows from '../../workflows/index.ts';
import { useRuntime } from '../support/runtime.ts';

// Histories recorded from a real server (`npm run record-histories`). A run that is open during an upgrade continues with the
// new code. Replay fails permanently if the new code issues different commands.

const { History } = temporal.api.history.v1;

const folder = new URL('../histories/', import.meta.url);
const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.bin.gz')).toSorted();
const recorded = await Promise.all(
  names.map(async (name) => ({ name, history: History.decode(gunzipSync(await readFile(new URL(name, folder)))) })),
);

await useRuntime();

test('this version replays every recorded run, command by command', async () => {
  const namesById = new Map<string, string>();
  const histories = recorded.map(({ name, history }) => {
    // The ids of child runs begin with the id of their parent. Temporal's test server does not record ids.
    const workflowId = history.events[0]?.workflowExecutionStartedEventAttributes?.workflowId || name;
    namesById.set(workflowId, name);
    return { workflowId, history };
  });
  const workflowBundle = await ensureWorkflowBundle();
  const replayed: string[] = [];
  const failures: unknown[] = [];
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, histories)) {
    const name = namesById.get(workflowId) ?? workflowId;
    replayed.push(name);
    if (error !== undefined) failures.push({ name, reason: error.message });
  }
  expect(failures).toEqual([]);
  expect(replayed.toSorted()).toEqual(names);
});

test('every workflow has a recorded run', () => {
  const types = recorded.map(({ history }) => history.events[0]?.workflowExecutionStartedEventAttributes?.workflowType);
  expect(new Set(types.map((type) => type?.name))).toEqual(new Set(Object.keys(workflows)));
});
