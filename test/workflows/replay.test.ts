import { Worker } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { ensureWorkflowBundle } from '../../worker/workflow-bundle.ts';
import * as workflows from '../../workflows/index.ts';
import { readRecordedHistories } from '../support/recorded-histories.ts';
import { useRuntime } from '../support/runtime.ts';

// Histories recorded from a real server (`npm run record-histories`). A run that is open during an upgrade continues with the
// new code. Replay fails permanently if the new code issues different commands.

const recorded = await readRecordedHistories();
const nameOf = new Map(recorded.map(({ workflowId, name }) => [workflowId, name]));

await useRuntime();
// The bundle of a fresh clone takes longer than a test may take on a busy machine; modules have no time limit.
const workflowBundle = await ensureWorkflowBundle();

// All histories take 10 s of processor time, which can be minutes on a busy machine.
test('this version replays every recorded run, command by command', { timeout: 600_000 }, async () => {
  const replayed: string[] = [];
  const failures: unknown[] = [];
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, recorded)) {
    const name = nameOf.get(workflowId) ?? workflowId;
    replayed.push(name);
    if (error !== undefined) failures.push({ name, reason: error.message });
  }
  expect(failures).toEqual([]);
  expect(replayed.toSorted()).toEqual(recorded.map(({ name }) => name));
});

test('every workflow has a recorded run', () => {
  const types = recorded.map(({ history }) => history.events[0]?.workflowExecutionStartedEventAttributes?.workflowType);
  expect(new Set(types.map((type) => type?.name))).toEqual(new Set(Object.keys(workflows)));
});
