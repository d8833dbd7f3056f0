import type { Client } from '@temporalio/client';
import { defaultDataConverter } from '@temporalio/common';
import { expect, test } from 'vitest';
import type { WorkflowStatus } from '../../../contract/workflow/status.ts';
import type { Scope } from '../../../server/access/caller.ts';
import { FileNames } from '../../../server/files/file-names.ts';
import type { FileLinks } from '../../../server/files/run-files.ts';
import type { FoundRun } from '../../../server/runs/find-run.ts';
import { readRunDetails } from '../../../server/runs/run-details.ts';

const client = {
  options: { loadedDataConverter: { ...defaultDataConverter, payloadCodecs: [] } },
  workflow: { getHandle: () => ({ fetchHistory: async () => ({ events: [] }) }) },
} as unknown as Client;
const record = {
  workflowId: 'a',
  runId: 'r',
  workflowType: 'encode' as const,
  taskQueue: 'q',
  startedAt: new Date(0),
  historyEvents: 3,
  owner: 'anna',
};
const run = { record, description: {} } as FoundRun;
const step = { id: 'segment-3', phase: 'encode', state: 'running', percent: 41, attempt: 1 } as const;
const status: WorkflowStatus = {
  phase: 'encode',
  state: 'running',
  percent: 41,
  attempt: 1,
  elapsedSeconds: 1,
  budgetLeftSeconds: 2,
  spread: { segments: 12, done: 2, running: 1, waiting: 0 },
  steps: [{ ...step, container: '10.0.0.1:8080' }],
};
const options = {
  names: new FileNames(),
  links: {} as FileLinks,
  prices: { currency: 'EUR', perCpuHour: 0, perGbIn: 0, perGbOut: 0 },
  uiUrl: undefined,
};

test.each<[string, string | undefined, Scope[], object | undefined]>([
  ['shown', undefined, ['read', 'operate'], { 'segment-3': '10.0.0.1:8080' }],
  ['hidden', undefined, ['read'], undefined],
  ['hidden', 'anna', ['read', 'operate'], undefined],
])('the containers of a spread run are %s for owner %s with scopes %j', async (_, owner, scopes, containers) => {
  const caller = { id: 'caller', owner, scopes: new Set(scopes) };
  const details = await readRunDetails(client, run, { status }, options, caller);
  expect(details).toMatchObject({ id: 'a', spread: { running: 1 } });
  expect(details.containers).toEqual(containers);
});
