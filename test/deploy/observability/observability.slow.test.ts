import { createReadStream, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { defaultEnvironment } from '../../../contract/defaults.ts';
import { ProviderLimits } from '../../../contract/provider.ts';
import { defaultTaskQueue, limiterTaskQueue } from '../../../contract/task-queues.ts';
import { panels } from '../../../deploy/observability/dashboard.ts';
import { MediaServer } from '../../fixtures/media-server.ts';
import { TestLimiter } from '../../support/limiter.ts';
import { speechWav } from '../../support/media.ts';
import { freePort } from '../../support/ports.ts';
import { projectRoot, textOf } from '../../support/project-files.ts';
import { run } from '../../support/process.ts';
import { TestServer } from '../../support/server.ts';
import { patient, TestStack } from '../../support/stack.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';
import { toolPath } from '../../support/tools.ts';
import { useFolder } from '../../support/folder.ts';

const promtool = await toolPath('PROMTOOL_PATH');
const folder = join(projectRoot, 'deploy/observability');
const rules = readFileSync(join(folder, 'alerts.yml'), 'utf8');

const scratch = useFolder();
/**
 * Metrics of each process after one encode whose worker died, a workflow task that failed, and one message to a limiter.
 */
const scrapes = new Map<string, string>();

const port = await freePort();
const media = await stopAfterAll(MediaServer.start());
const stack = await stopAfterAll(
  TestStack.start({ containerEnvironment: patient, workerEnvironment: { METRICS_PORT: String(port) } }),
);
const server = await stopAfterAll(TestServer.start({ TEMPORAL_ADDRESS: stack.temporal.address }));
const file = (name: string): string => pathToFileURL(join(stack.container.mediaRoot, name)).href;
const outputs = [{ format: 'mp3_64', uploadUrl: file('out.mp3') }];
await encodeBesideDeath(outputs, port);
await failWorkflowTasks(port);
const key = 'test/model-1';
const limiter = new TestLimiter(stack.client, {
  workflowId: `limiter/${defaultEnvironment}/${key}`,
  taskQueue: limiterTaskQueue(defaultEnvironment),
  args: [key, { limits: ProviderLimits.parse({}) }],
});
await limiter.send({ from: { workflowId: 'nobody', firstRunId: 'nobody' } });
const texts = {
  container: `${stack.container.url}/metrics`,
  worker: `http://127.0.0.1:${port}/metrics`,
  server: `${server.url}/api/metrics`,
};
await server.process.until('the limiter is listed', async () =>
  (await (await fetch(texts.server)).text()).includes('holdfast_limiter_up{key="test/model-1"} 1'),
);
for (const [part, url] of Object.entries(texts)) scrapes.set(part, await (await fetch(url)).text());

async function untilScraped(port: number, text: string): Promise<void> {
  await stack.worker.until(text, async () => {
    const scrape = await fetch(`http://127.0.0.1:${port}/metrics`);
    return (await scrape.text()).includes(text);
  });
}

async function encodeBesideDeath(outputs: object[], port: number): Promise<void> {
  let release = (): void => {};
  const sourceUrl = media.on('GET /slow.wav', (_request, response) => {
    release = () => void createReadStream(speechWav).pipe(response);
  });
  const run = await stack.run('encode', { sourceUrl, outputs });
  await stack.untilStatus(run, 'job', ({ state }) => state === 'running');
  await stack.worker.stop('SIGKILL');
  await stack.startWorker();
  await untilScraped(port, 'holdfast_job_takeover_seconds_count');
  release();
  await run.result();
}

/** Fails workflow tasks, as a deploy does that does not know the workflow of an open run. */
async function failWorkflowTasks(port: number): Promise<void> {
  const run = await stack.client.workflow.start('unknown', { workflowId: 'unknown', taskQueue: defaultTaskQueue });
  await untilScraped(port, 'temporal_workflow_task_execution_failed_total');
  await run.terminate();
}

test('every series of the workflows exists from the start, and one encode counts once', () => {
  const counted = [...(scrapes.get('worker') ?? '').matchAll(/^holdfast_(\w+)_total\{(.*)\} (\d+)$/gm)]
    .map(([, name = '', labels = '', value]) => {
      const label = (key: string): string | undefined => new RegExp(`${key}="([^"]*)"`).exec(labels)?.[1];
      const kind = label('end') ?? label('reason') ?? label('result') ?? label('winner') ?? 'all';
      return `${name} ${label('workflow_type')} ${kind}: ${value}`;
    })
    .toSorted();
  expect(counted).toEqual([
    ...['chunking cancelled: 0', 'chunking failed: 0', 'chunking succeeded: 0'].map((text) => `run_ends ${text}`),
    ...['encode cancelled: 0', 'encode failed: 0', 'encode succeeded: 1'].map((text) => `run_ends ${text}`),
    ...['processing cancelled: 0', 'processing failed: 0', 'processing succeeded: 0'].map((text) => `run_ends ${text}`),
    ...['chunking', 'encode', 'processing'].flatMap((type) => [
      `run_waits ${type} connection_error: 0`,
      `run_waits ${type} rate_limited: 0`,
    ]),
    'segment_copies encode all: 0',
    ...['segments encode first: 0', 'segments encode second: 0'],
    ...['delivered', 'failed', 'given_up'].map((result) => `webhook_tries webhook ${result}: 0`),
  ]);
});

test('names and units of our metrics follow Prometheus’ conventions', async () => {
  for (const [part, text] of scrapes) {
    const path = join(scratch, part);
    await writeFile(path, ourLines(text));
    const { code, output } = await run('sh', ['-c', '"$0" check metrics < "$1"', promtool, path]);
    expect([part, output, code]).toEqual([part, '', 0]);
  }
});

test('a real scrape has every metric that a rule or a panel names', () => {
  const sent = new Set(
    [...scrapes.values()].flatMap((text) => [...text.matchAll(/^([a-z_]+)(?:\{.*\})? /gm)].map(([, name]) => name)),
  );
  const expressions = [...panels.flatMap(({ queries }) => queries.map(([expression]) => expression)), rules];
  const named = new Set(expressions.flatMap((text) => text.match(/\b(?:holdfast|temporal)_[a-z_]+/g) ?? []));
  expect(named.size).toBeGreaterThan(20);
  expect([...named].filter((name) => !sent.has(name))).toEqual([]);
});

test('the histograms have the buckets at which the objectives count', () => {
  const counted = new Set([...rules.matchAll(/(\w+_bucket)\{[^}]*(le="\d+")/g)].map(([, name, le]) => `${name} ${le}`));
  const lines = [...(scrapes.get('worker') ?? '').matchAll(/^(\w+_bucket)\{.*(le="\d+").*\}/gm)];
  const sent = new Set(lines.map(([, name, le]) => `${name} ${le}`));
  expect(counted.size).toBe(2);
  expect([...counted].filter((bucket) => !sent.has(bucket))).toEqual([]);
});

test('docs/observability.md has a row for each of our metrics', () => {
  const page = textOf('docs/observability.md');
  const ours = [...scrapes.values()].flatMap((text) =>
    [...text.matchAll(/^# TYPE (holdfast_[a-z_]+) /gm)].map(([, name = '']) => name),
  );
  expect(new Set(ours)).toEqual(
    new Set(
      [...page.matchAll(/^\| `(holdfast_[a-z_]+)`/gm)].map(([, name]) => name).filter((name) => !isProviders(name)),
    ),
  );
});

/** Default scrape timeout of Prometheus. */
const scrapeTimeoutMs = 10_000;

test('a limiter without a worker is reported within the time of a scrape, with everything else that the server knows', async () => {
  await stack.worker.stop('SIGKILL');
  const scrape = async (): Promise<string> => {
    const signal = AbortSignal.timeout(scrapeTimeoutMs);
    return await (await fetch(`${server.url}/api/metrics`, { signal })).text();
  };
  // After a pause of the whole machine, the next scrape is in time.
  let text = '';
  await expect.poll(async () => (text = await scrape())).toContain('holdfast_limiter_up{key="test/model-1"} 0\n');
  expect(text).toMatch(/^holdfast_queue_backlog \d+$/m);
});

/** Metrics of processing runs, which this test does not start. */
function isProviders(name: string | undefined): boolean {
  return name?.startsWith('holdfast_provider_') === true;
}

/** Leaves out metrics of prom-client and Temporal's SDK, whose names are not ours. */
function ourLines(text: string): string {
  return text
    .split('\n')
    .filter((line) => /^(?:# (?:HELP|TYPE) )?holdfast_/.test(line))
    .map((line) => `${line}\n`)
    .join('');
}
