import type { Client, WorkflowExecutionInfo, WorkflowHandle } from '@temporalio/client';
import { expect, test } from 'vitest';
import { listRunsOf } from '../../client/list-runs.ts';
import { searchableText, searchAttributeTypes } from '../../contract/search-attributes.ts';
import { MediaServer } from '../fixtures/media-server.ts';
import { testFolder } from '../support/folder.ts';
import { RunHistory } from '../support/history.ts';
import { speechWav } from '../support/media.ts';
import { run, testEnvironment } from '../support/process.ts';
import { patient, TestStack } from '../support/stack.ts';
import { startTemporal } from '../support/temporal.ts';
import { stopAfterAll, stopAfterTest } from '../support/stop-after-all.ts';

// Reads the runs' search attributes with Temporal's own queries.

let stack: TestStack | undefined;

const [temporal, media] = await Promise.all([stopAfterAll(startTemporal()), stopAfterAll(MediaServer.start())]);
async function list(client: Client, query: string): Promise<WorkflowExecutionInfo[]> {
  const found: WorkflowExecutionInfo[] = [];
  for await (const info of client.workflow.list({ query })) found.push(info);
  return found;
}

/** Waits until visibility, which lags slightly, lists the run. */
async function untilListed(
  running: TestStack,
  handle: WorkflowHandle,
  condition: string,
): Promise<Record<string, unknown>> {
  const query = `WorkflowId = '${handle.workflowId}' AND ${condition}`;
  const info = await running.worker.until(query, async () => (await list(running.client, query))[0]);
  return Object.fromEntries(info.typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]));
}

/** Characters that queries, shells or databases might mishandle. */
const owner = `Zoë's A&B 100 %_ 😀`;

function encodeOf(path: string) {
  return {
    sourceUrl: `${path}?signature=secret`,
    outputs: [{ format: 'mp3_64', uploadUrl: `${media.url}/out.mp3?signature=secret` }],
    owner,
  };
}

test('finds a run by state, phase, owner, formats and source from queue to end', async () => {
  stack = await stopAfterTest(TestStack.start({ temporal, taskQueue: 'found', containerEnvironment: patient }));
  const { client } = stack;
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const speech = media.serve('/speech.wav', speechWav);
  const held = media.on('GET /held/talk.wav', async (_, response) => {
    await answered;
    response.writeHead(307, { location: speech }).end();
  });
  const handle = await stack.run('encode', encodeOf(held));
  expect(await untilListed(stack, handle, `HoldfastState = 'running' AND HoldfastPhase = 'download'`)).toMatchObject({
    HoldfastOwner: owner,
    HoldfastFormats: ['mp3_64'],
    HoldfastSource: searchableText(`${media.url}/held/talk.wav`),
  });
  const queued = await stack.run('encode', { ...encodeOf(speech), sourceName: 'Rede #1.wav' });
  expect(await untilListed(stack, queued, `HoldfastState = 'queued' AND HoldfastSource = 'rede'`)).toMatchObject({
    HoldfastSource: searchableText('Rede #1.wav'),
  });
  const listed = { taskQueue: 'found', owner, limit: 9, signal: AbortSignal.timeout(60_000) };
  expect(await listRunsOf(client, { ...listed, state: 'queued' })).toMatchObject([
    { record: { workflowId: queued.workflowId, owner }, state: 'queued' },
  ]);
  expect(await listRunsOf(client, listed)).toHaveLength(2);
  expect(await listRunsOf(client, { ...listed, owner: 'Zoë' })).toEqual([]);
  answer();
  await Promise.all([handle.result(), queued.result()]);
  const ended = await untilListed(stack, handle, `HoldfastState = 'succeeded' AND HoldfastFormats = 'mp3_64'`);
  expect(ended).not.toHaveProperty('HoldfastWaitUntil');
  expect(await list(client, `HoldfastSource = 'held' AND HoldfastPhase = 'done'`)).toHaveLength(1);
  // One change per state or phase, none per percentage.
  const changes = (await RunHistory.of(handle)).searchAttributeChanges('HoldfastState');
  expect(changes.length).toBeLessThanOrEqual(8);
  expect(changes[0]).toBe('queued');
  expect(changes.at(-1)).toBe('succeeded');
});

test('finds a waiting run with the end of its wait, and an ended run as cancelled or failed', async () => {
  stack = await stopAfterTest(TestStack.start({ temporal, taskQueue: 'waits' }));
  await stack.container.stop();
  const waiting = await stack.run('encode', encodeOf(`${media.url}/a.wav`));
  const { HoldfastWaitUntil: until } = await untilListed(
    stack,
    waiting,
    `HoldfastState = 'waiting' AND HoldfastWaitUntil > '2020-01-01T00:00:00Z'`,
  );
  expect(until).toEqual(new Date((await stack.status(waiting)).waiting?.until ?? ''));
  await waiting.cancel();
  const cancelled = await untilListed(stack, waiting, `HoldfastState = 'cancelled' AND ExecutionStatus = 'Canceled'`);
  expect(cancelled).not.toHaveProperty('HoldfastWaitUntil');

  const invalid = await stack.run('encode', { sourceUrl: 'gopher://x' });
  await untilListed(stack, invalid, `HoldfastState = 'failed' AND ExecutionStatus = 'Failed'`);
});

test('runs continue without registered attributes, warn once, and use them once registered', async () => {
  const bare = await startTemporal({ hasSearchAttributes: false });
  try {
    stack = await stopAfterTest(TestStack.start({ temporal: bare }));
    const { client, worker } = stack;
    // One attribute exists with another type for another purpose.
    await bare.cli('operator', 'search-attribute', 'create', '--name', 'HoldfastOwner', '--type', 'Int');
    const speech = media.serve('/speech.wav', speechWav);
    for (let run = 0; run < 2; run += 1) await (await stack.run('encode', encodeOf(speech))).result();
    const warnings = await worker.until('warning', () => {
      const found = worker.logLines.filter(({ level, msg }) => level === 'warn' && msg?.includes('search attribute'));
      return found.length > 0 && found;
    });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]?.msg).toContain('HoldfastState');
    const listed = { taskQueue: 'holdfast', limit: 9, signal: AbortSignal.timeout(60_000) };
    const problem = { kind: 'no_search_attributes' };
    await expect(listRunsOf(client, { ...listed, state: 'waiting' })).rejects.toMatchObject({ problem });
    // Visibility lags slightly.
    await worker.until('all runs listed', async () => (await listRunsOf(client, listed)).length === 2);

    const environment = testEnvironment({ TEMPORAL_ADDRESS: bare.address, HOLDFAST_HOME: testFolder() });
    const { code, output } = await run(process.execPath, ['cli/main.ts', 'setup-server'], { environment });
    const added = Object.keys(searchAttributeTypes).filter((name) => name !== 'HoldfastOwner');
    expect(output).toContain(`Registered the search attributes ${added.join(', ')} in namespace "default".`);
    expect(output).toContain('HoldfastOwner is of the type Int and not Keyword: runs work without it.');
    expect(code).toBe(1);
    await worker.until('a run with attributes', async () => {
      const handle = await stack?.run('encode', encodeOf(speech));
      await handle?.result();
      return (await list(client, `HoldfastState = 'succeeded'`)).length > 0;
    });
  } finally {
    await stack?.stop();
    stack = undefined;
    await bare.stop();
  }
});
