import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, type WorkflowClientInterceptor } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { makeWorkflowExporter } from '@temporalio/interceptors-opentelemetry-v2';
import { emptyResource } from '@opentelemetry/resources';
import { NoopSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { useFolder } from '../support/folder.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';
import { bundleWorkflows, ensureWorkflowBundle, writeWorkflowBundle } from '../../worker/workflow-bundle.ts';
import { MediaServer } from '../fixtures/media-server.ts';
import { attributeOf, type ReceivedSpan, spanMs, TraceReceiver } from '../fixtures/trace-receiver.ts';
import { WebhookReceiver } from '../fixtures/webhook-receiver.ts';
import { speechWav } from '../support/media.ts';
import { freePort } from '../support/ports.ts';
import type { TestProcess } from '../support/process.ts';
import { type RecordedHistory, readRecordedHistories } from '../support/recorded-histories.ts';
import { matrixTest } from '../support/rows.ts';
import { TestServer } from '../support/server.ts';
import { TestStack } from '../support/stack.ts';

type RunEvents = temporal.api.history.v1.IHistory;

const traceId = '0af7651916cd43dd8448eb211c80319c';
const webhookSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** Id of a run whose source and store each fail once. */
let workflowId: string;

Runtime.install({ logger: new DefaultLogger('ERROR') });
const folder = useFolder();
const traces = await stopAfterAll(TraceReceiver.start());
const metricsPort = await freePort();
const { environment } = traces;
const media = await stopAfterAll(MediaServer.start());
const receiver = await stopAfterAll(WebhookReceiver.start());
const stack = await stopAfterAll(
  TestStack.start({
    containerEnvironment: environment,
    workerEnvironment: {
      ...environment,
      METRICS_PORT: String(metricsPort),
      WEBHOOK_SECRET_ACME: webhookSecret,
      WEBHOOK_SECRET_ACME_ORIGINS: new URL(receiver.url).origin,
      ALLOW_PRIVATE_ADDRESSES: '127.0.0.1',
    },
  }),
);
const server = await stopAfterAll(TestServer.start({ ...environment, TEMPORAL_ADDRESS: stack.temporal.address }));
const history = await encodeUnderTrace();

async function encodeUnderTrace(): Promise<RunEvents> {
  let downloads = 0;
  let uploads = 0;
  const speech = media.serve('/speech.wav', speechWav);
  const source = media.on('GET /late.wav', (_, response) => {
    downloads += 1;
    if (downloads === 1) response.writeHead(503).end();
    else response.writeHead(307, { location: `${speech}?key=hidden-1` }).end();
  });
  const store = media.on('PUT /out.mp3', (request, response) => {
    uploads += 1;
    request.resume().once('end', () => response.writeHead(uploads === 1 ? 503 : 200).end());
  });
  const input = {
    sourceUrl: `${source}?key=hidden-2`,
    outputs: [{ format: 'mp3_64', uploadUrl: `${store}?key=hidden-3` }],
    retry: { baseDelay: 1 },
    webhook: { url: `${receiver.url}?key=hidden-4`, secret: 'acme' },
  };
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  const { body } = await server.post('/api/runs', { workflow: 'encode', input }, headers);
  workflowId = body.id;
  const handle = stack.client.workflow.getHandle(workflowId);
  await handle.result();
  await stack.worker.until('the end of the trace', () => {
    const ended = spansOf('RunWorkflow:webhook').length === 3 && spansOf('RunWorkflow:encode').length === 1;
    return ended && spansOf('job encode').length === 2 && spansOf('POST /api/runs').length === 1;
  });
  return await handle.fetchHistory();
}

function spansOf(name: string): ReceivedSpan[] {
  return traces.spans
    .filter((span) => span.traceId === traceId && span.name === name)
    .toSorted((one, other) => (one.startTimeUnixNano < other.startTimeUnixNano ? -1 : 1));
}

const toldWebhook = [
  '      StartChildWorkflow:webhook',
  '        RunWorkflow:webhook',
  '          StartActivity:sendWebhook',
  '            RunActivity:sendWebhook',
];

test('a run is one trace from the request over attempts, waits, phases and tools to its webhooks', () => {
  // Webhooks are sent in parallel to the run.
  const tree = traces.tree(traceId);
  const start = tree.findIndex((line) => line.includes('StartChildWorkflow:webhook'));
  expect(tree.slice(start, start + 4)).toEqual(toldWebhook);
  expect(tree.filter((line) => !toldWebhook.includes(line))).toEqual([
    'POST /api/runs',
    '  StartWorkflow:encode',
    '    RunWorkflow:encode',
    '      StartActivity:prepare',
    '        RunActivity:prepare',
    '      StartActivity:encode',
    '        RunActivity:encode',
    '          POST /encode',
    '            job encode',
    '              phase download',
    '      StartActivity:followJob',
    '        RunActivity:followJob',
    '      Wait',
    '      StartActivity:encode',
    '        RunActivity:encode',
    '          POST /encode',
    '            job encode',
    '              phase download',
    '              phase probe',
    '                ffprobe',
    '              phase encode',
    '                ffmpeg',
    '              phase verify',
    '              phase upload',
    '                upload',
    '                upload',
    '      StartActivity:followJob',
    '        RunActivity:followJob',
  ]);
  expect(tree.length).toBe(28 + 3 * toldWebhook.length);
  const services = ['POST /api/runs', 'RunWorkflow:encode', 'job encode'].map((name) => spansOf(name)[0]?.service);
  expect(services).toEqual(['holdfast-server', 'holdfast-worker', 'holdfast-container']);
});

test('spans tell durations, retries and their reasons', () => {
  const [wait] = spansOf('Wait');
  expect(wait && [attributeOf(wait, 'holdfast.summary'), spanMs(wait) >= 1_000]).toEqual([
    expect.stringMatching(/^Connection error: waiting 1 s/),
    true,
  ]);
  expect(spansOf('StartActivity:encode').map((span) => attributeOf(span, 'holdfast.summary'))).toEqual([
    'Attempt 1: encode mp3_64',
    'Attempt 2: encode mp3_64',
  ]);
  const failed = 2;
  expect(spansOf('job encode').map(({ status }) => [status.code, status.message])).toEqual([
    [failed, `The source ${media.url}/late.wav is not available now (HTTP 503).`],
    [0, undefined],
  ]);
  expect(spansOf('upload').map(({ status }) => status.code)).toEqual([failed, 0]);
  // Workflow and activity spans use different clocks.
  const clocksMs = 100;
  const parentMs = ({ parentSpanId }: ReceivedSpan): number =>
    traces.spans.filter(({ spanId }) => spanId === parentSpanId).reduce((sum, span) => sum + spanMs(span), 0);
  const activities = ['encode', 'followJob'].flatMap((type) => spansOf(`RunActivity:${type}`));
  expect(activities.filter((span) => spanMs(span) > parentMs(span) + clocksMs)).toEqual([]);
});

test('no span contains a query of a URL or a secret', () => {
  expect(traces.text).not.toMatch(/hidden|whsec|memo/);
});

test('log lines of all three processes carry the trace', async () => {
  const parts: [TestProcess, string][] = [
    [stack.container.process, '[JOB_END] Completed'],
    [stack.worker, 'Encoding attempt 2'],
    [server.process, 'request completed'],
  ];
  for (const [process, text] of parts) {
    await process.until(`${text} with the trace`, () =>
      process.logLines.some((line) => line['trace_id'] === traceId && line.msg?.includes(text)),
    );
  }
});

test('a webhook’s receiver gets the trace', () => {
  const parents = receiver.received.map(({ headers }) => String(headers['traceparent']).split('-'));
  expect(new Set(parents.map(([, trace]) => trace))).toEqual(new Set([traceId]));
  const sending = new Set(spansOf('RunActivity:sendWebhook').map(({ spanId }) => spanId));
  expect(parents.filter(([, , span = '']) => !sending.has(span))).toEqual([]);
});

test('the worker’s counters agree with the trace', async () => {
  const counted = async (): Promise<Record<string, number[]>> => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    const countOf = (name: string, label: string): number =>
      [...text.matchAll(new RegExp(`^holdfast_${name}_total\\{.*${label}.*\\} (\\d+)$`, 'gm'))].reduce(
        (sum, [, value]) => sum + Number(value),
        0,
      );
    return {
      waits: [countOf('run_waits', '="connection_error"'), countOf('run_waits', '="rate_limited"')],
      ends: [countOf('run_ends', '="succeeded"'), countOf('run_ends', '="(?:failed|cancelled)"')],
      tries: [countOf('webhook_tries', '="delivered"'), countOf('webhook_tries', '="failed"')],
    };
  };
  await expect.poll(counted).toEqual({ waits: [1, 0], ends: [1, 0], tries: [3, 0] });
});

test('a repeated run and a repeated message continue the trace of their requester', async () => {
  // Server and worker export their spans separately.
  const treeOf = async (path: string, trace: string, last: string): Promise<string[]> => {
    const { status } = await server.post(path, {}, { traceparent: `00-${trace}-b7ad6b7169203331-01` });
    expect(status).toBeLessThan(300);
    return await stack.worker.until(`the trace of ${path}`, () => {
      const tree = traces.tree(trace);
      return tree[0]?.startsWith('POST') === true && tree.some((line) => line.trim() === last) && tree;
    });
  };
  const again = await treeOf(`/api/runs/${workflowId}/rerun`, 'a'.repeat(32), 'RunWorkflow:encode');
  expect(again.slice(0, 3)).toEqual(['POST /api/runs/:id/rerun', '  StartWorkflow:encode', '    RunWorkflow:encode']);
  const replayed = await treeOf(`/api/runs/${workflowId}/webhooks/replay`, 'b'.repeat(32), 'RunWorkflow:webhook');
  expect(replayed[0]).toBe('POST /api/runs/:id/webhooks/replay');
});

test('runs of a workflow that continues as new are siblings in one trace, each linked to its predecessor', async () => {
  const path = join(folder, 'continuing.js');
  const workflowsPath = fileURLToPath(new URL('../fixtures/workflows/continuing.ts', import.meta.url));
  const code = await bundleWorkflows(workflowsPath, { isEncrypting: false, isTraced: true });
  await writeWorkflowBundle(join(folder, 'continuing.traced.js'), code);
  const worker = await stack.addWorker({ TEMPORAL_TASK_QUEUE: 'continuing', WORKFLOW_BUNDLE: path, METRICS_PORT: '' });
  await stack.client.workflow.execute('continuing', { taskQueue: 'continuing', workflowId: 'continuing', args: [2] });
  const runs = await worker.until('three runs', () => {
    const ended = traces.spans.filter(({ name }) => name === 'RunWorkflow:continuing');
    return ended.length === 3 && ended;
  });
  const [first, second, third] = runs.toSorted((one, other) =>
    one.startTimeUnixNano < other.startTimeUnixNano ? -1 : 1,
  );
  expect(runs.map((run) => run.traceId)).toEqual(runs.map(() => first?.traceId));
  expect([second?.parentSpanId, third?.parentSpanId]).toEqual([first?.spanId, first?.spanId]);
  expect([first, second, third].map((run) => run?.links.map(({ spanId }) => spanId))).toEqual([
    [],
    [first?.spanId],
    [second?.spanId],
  ]);
  expect(runs.map(({ status }) => status.code)).toEqual([0, 0, 0]);
  await worker.stop();
});

test('a run with an unreadable trace header, such as one encrypted by its client, has a trace of its own', async () => {
  const headers = {
    '_tracer-data': { metadata: { encoding: Buffer.from('binary/encrypted') }, data: Buffer.from('unreadable') },
  };
  const interceptor: WorkflowClientInterceptor = {
    start: (input, next) => next({ ...input, headers: { ...input.headers, ...headers } }),
  };
  const client = new Client({ connection: stack.client.connection, interceptors: { workflow: [interceptor] } });
  // Without a timeout the run would stay open with a failing workflow task.
  const place = { taskQueue: 'holdfast', workflowId: 'unreadable', workflowExecutionTimeout: '20s' } as const;
  const failure = await client.workflow.execute('encode', { ...place, args: [{}] }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ cause: { type: 'InvalidRequest' } });
});

async function failedReplays(
  histories: { workflowId: string; history: RunEvents }[],
  isTraced: boolean,
): Promise<unknown[]> {
  const workflowBundle = await ensureWorkflowBundle({ isEncrypting: false, isTraced });
  const sinks = { exporter: makeWorkflowExporter(new NoopSpanProcessor(), emptyResource()) };
  const failures: unknown[] = [];
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle, sinks }, histories)) {
    if (error !== undefined) failures.push([workflowId, error.message]);
  }
  return failures;
}

/** One recorded history of each workflow, the shortest. */
function shortestOfEach(recorded: RecordedHistory[]): RecordedHistory[] {
  const typeOf = ({ history: { events } }: RecordedHistory) =>
    events[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name ?? '';
  const byLength = recorded.toSorted((one, other) => other.history.events.length - one.history.events.length);
  return [...new Map(byLength.map((one) => [typeOf(one), one])).values()];
}

test('runs replay with and without tracing, so that it can be turned on or off at any time', async () => {
  const shortest = shortestOfEach(await readRecordedHistories());
  expect(shortest.length).toBeGreaterThan(4);
  expect(await failedReplays([...shortest, { workflowId: 'traced', history }], true)).toEqual([]);
  expect(await failedReplays([{ workflowId: 'traced', history }], false)).toEqual([]);
});

matrixTest('every recorded run replays with tracing', { timeout: 600_000 }, async () => {
  expect(await failedReplays(await readRecordedHistories(), true)).toEqual([]);
});
