import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { expect, test } from 'vitest';
import { listRunsPage, runsQuery } from '../../client/runs-page.ts';
import { quote } from '../../client/visibility-query.ts';

test.each([
  ['talk', `'talk'`],
  [`it's`, `'it''s'`],
  [String.raw`a\ `, String.raw`'a\\ '`],
  [String.raw`\' OR 1=1 --`, String.raw`'\\'' OR 1=1 --'`],
])('quotes %j in a query as %s', (text, quoted) => {
  expect(quote(text)).toBe(quoted);
});

test('puts every filter into its own parentheses', () => {
  const query = runsQuery({ taskQueue: 'q', state: 'failed', owner: 'anna', words: "o'brien talk" });
  expect(query).toContain(
    `(ExecutionStatus IN ('Failed', 'TimedOut', 'Terminated') OR (ExecutionStatus = 'Completed' AND HoldfastState = 'failed')) AND (HoldfastOwner = 'anna') AND (WorkflowId STARTS_WITH 'o''brien talk' OR (HoldfastSource = 'o') AND (HoldfastSource = 'brien') AND (HoldfastSource = 'talk'))`,
  );
});

test('searches for quotes alone as a whole id, because Temporal trims quotes from a prefix', () => {
  expect(runsQuery({ taskQueue: 'q', words: "'" })).toContain(`(WorkflowId = '''')`);
  expect(runsQuery({ taskQueue: 'q', words: "'t" })).toContain(`(WorkflowId STARTS_WITH '''t' OR `);
});

test('filters by format and time, with quotes that the text of a filter cannot leave', () => {
  const [startedSince, startedBefore] = [new Date(0), new Date(86_400_000)];
  expect(runsQuery({ taskQueue: 'q', format: "mp3' OR '1'='1", startedSince, startedBefore })).toContain(
    `(HoldfastFormats = 'mp3'' OR ''1''=''1') AND (StartTime >= '1970-01-01T00:00:00.000Z') AND (StartTime < '1970-01-02T00:00:00.000Z')`,
  );
});

/** A fake Temporal that returns one page with a run of each owner, and records requests. */
function fakeClient(asked: { nextPageToken?: Uint8Array }[], owners: readonly string[] = []): Client {
  const listWorkflowExecutions = async (request: { nextPageToken?: Uint8Array }) => {
    asked.push(request);
    const executions = owners.map((owner) => ({
      searchAttributes: { indexedFields: { HoldfastOwner: defaultPayloadConverter.toPayload(owner) } },
    }));
    return { executions, nextPageToken: Buffer.from('next') };
  };
  return { options: { namespace: 'default' }, workflowService: { listWorkflowExecutions } } as unknown as Client;
}

test('a cursor is valid only for the filters of its page', async () => {
  const asked: { nextPageToken?: Uint8Array }[] = [];
  const client = fakeClient(asked);
  const page = { taskQueue: 'q', owner: 'anna', limit: 1 };
  const { nextCursor } = await listRunsPage(client, page);
  await listRunsPage(client, { ...page, cursor: nextCursor });
  expect(Buffer.from(asked[1]?.nextPageToken ?? []).toString()).toBe('next');
  for (const other of [{ owner: 'bert' }, { cursor: 'x' }, { cursor: `${nextCursor}A` }, { cursor: '' }]) {
    await expect(listRunsPage(client, { ...page, cursor: nextCursor, ...other })).rejects.toMatchObject({
      problem: { kind: 'invalid_input' },
    });
  }
  expect(asked).toHaveLength(2);
});

test('lists no runs of an owner whose name a store compares as equal', async () => {
  const client = fakeClient([], ['anna', 'Anna', 'anna ', 'änna']);
  const ownersOf = async (owner: string | undefined) =>
    (await listRunsPage(client, { taskQueue: 'q', owner, limit: 9 })).runs.map((run) => run.owner);
  expect(await ownersOf('anna')).toEqual(['anna']);
  expect(await ownersOf(undefined)).toHaveLength(4);
});
