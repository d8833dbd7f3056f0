import type { WorkflowHandle } from '@temporalio/client';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { median } from '../../bench/median.ts';
import { listRunsPage } from '../../client/runs-page.ts';
import { EncodeOutcome } from '../../contract/workflow/encode.ts';
import { ProcessingOutcome } from '../../contract/workflow/processing.ts';
import { MediaServer } from '../fixtures/media-server.ts';
import { transcription, TranscriptionServer } from '../fixtures/transcription-server.ts';
import { longWav, speechWav } from '../support/media.ts';
import { type Environment, run, testEnvironment } from '../support/process.ts';
import { QueuedEncodes } from '../support/queued-encodes.ts';
import { TestStack } from '../support/stack.ts';
import { startTemporal } from '../support/temporal.ts';
import { certificateOf } from '../support/tls-server.ts';
import { TemporalCluster, type ClusterService } from './temporal-cluster.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

// Temporal over PostgreSQL with each service in its own processes: `npm run check:cluster`.

const mostAtOnce = 2;
const providersFile = join(tmpdir(), `holdfast-cluster-providers-${process.pid}.json`);

const word = { start: 0, end: 1 };
const [cluster, media, provider] = await Promise.all([
  stopAfterAll(TemporalCluster.start()),
  stopAfterAll(MediaServer.start()),
  stopAfterAll(
    TranscriptionServer.start(({ index }) => ({
      kind: 'answer',
      delayMs: 150,
      body: transcription([{ ...word, text: ` w${index}` }]),
    })),
  ),
]);
const limits = { requestsPerMinute: 6_000, requestsPerHour: 100_000, burstLimit: 100, maxConcurrent: mostAtOnce };
const whisper = { kind: 'openai-transcription', url: provider.url, secretEnv: 'TEST_SECRET', limits };
await writeFile(providersFile, JSON.stringify({ 'test/whisper-1': whisper }));
const stack = await stopAfterAll(
  TestStack.start({
    temporal: cluster.asServer(),
    containerEnvironment: { RETRY_AFTER_SECONDS: '1' },
    workerEnvironment: { PROVIDERS_FILE: providersFile, TEST_SECRET: 'secret' },
    sharesMedia: true,
  }),
);

afterAll(() => rm(providersFile, { force: true }));

async function listed(query: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { workflowId } of stack.client.workflow.list({ query })) ids.push(workflowId);
  return ids.sort();
}

test('an encode is stored and found by each of its search attributes', async () => {
  // The name contains characters with a meaning in PostgreSQL.
  const sourceUrl = media.serve("/it's:1,2A/speech.wav", speechWav);
  const handle = await stack.run('encode', {
    sourceUrl,
    owner: 'acme',
    outputs: [{ format: 'mp3_64', uploadUrl: `${media.url}/first.mp3` }],
  });
  const { outputs } = EncodeOutcome.parse(await handle.result());
  const sha256 = createHash('sha256').update(media.stored.get('/first.mp3')?.body ?? '');
  expect(sha256.digest('hex')).toBe(outputs[0]?.sha256);
  const queries = [
    ...['HoldfastState = "succeeded"', 'HoldfastOwner = "acme"', 'HoldfastFormats = "mp3_64"'],
    'HoldfastSource = "speech" AND HoldfastSource = "wav"',
  ];
  for (const query of queries) {
    await stack.worker.until(query, async () => (await listed(query)).includes(handle.workflowId));
  }
  expect(await listed('HoldfastOwner = "other"')).toEqual([]);
  const records = await listRunsPage(stack.client, { taskQueue: 'holdfast', owner: 'acme', limit: 9 });
  expect(records.runs).toMatchObject([{ workflowId: handle.workflowId, source: sourceUrl, state: 'succeeded' }]);
});

test('runs that wait for a container get it by priority', async () => {
  const encodes = new QueuedEncodes(stack, media);
  await encodes.start('first');
  await encodes.start('last', { priority: 5 });
  await encodes.start('plain');
  await encodes.start('next', { priority: 1 });
  expect(await encodes.order()).toEqual(['first', 'next', 'plain', 'last']);
});

test('the limiter keeps all runs together within the limit of their provider', async () => {
  provider.reset(provider.script);
  const seconds = 42;
  const sourceUrl = media.serve('/long.wav', await longWav({ seconds }));
  const inputs = ['a', 'b', 'c'].map((name) => ({
    sourceUrl,
    chunkDuration: 10,
    overlapDuration: 2,
    provider: 'test/whisper-1',
    uploadUrlPrefix: stack.container.fileUrl(`${name}/`),
  }));
  const handles = await Promise.all(inputs.map((input) => stack.run('processing', input)));
  for (const handle of handles) {
    expect(ProcessingOutcome.parse(await handle.result())).toMatchObject({ status: 'completed' });
  }
  expect(provider.calls).toHaveLength(handles.length * Math.ceil((seconds - 2) / 8));
  expect(provider.mostInFlight).toBe(mostAtOnce);
});

/** Number of PUTs for each run. */
function uploads(names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, media.count(`PUT /${name}`)]));
}

test('20 runs end well and store their files once, whichever history or matching node is killed', async () => {
  const sourceUrl = media.serve('/speech.wav', speechWav);
  const names = Array.from({ length: 20 }, (_, index) => `killed-${index}.mp3`);
  const stored = () => names.filter((name) => media.stored.has(`/${name}`)).length;
  const until = async (count: number) =>
    await stack.worker.until(`${count} stored files`, () => stored() >= count, 240_000);
  const killNode = async (node: 1 | 2) => {
    await Promise.all(
      ([`history-${node}`, `matching-${node}`] satisfies ClusterService[]).map((name) => cluster.kill(name)),
    );
    console.log(`node ${node} of history and matching killed when ${stored()} of ${names.length} files were stored`);
  };
  const handles: WorkflowHandle[] = await Promise.all(
    names.map((name) =>
      stack.run('encode', { sourceUrl, outputs: [{ format: 'mp3_128', uploadUrl: `${media.url}/${name}` }] }),
    ),
  );
  await until(3);
  await killNode(1);
  await until(8);
  await cluster.restart('history-1');
  await cluster.restart('matching-1');
  await until(12);
  await killNode(2);
  const outcomes = await Promise.all(handles.map(async (handle) => EncodeOutcome.parse(await handle.result())));
  expect(uploads(names)).toEqual(Object.fromEntries(names.map((name) => [name, 1])));
  // One source and one format give one content.
  const contents = new Set(
    names.map((name) =>
      createHash('sha256')
        .update(media.stored.get(`/${name}`)?.body ?? '')
        .digest('hex'),
    ),
  );
  expect([...contents]).toEqual([outcomes[0]?.outputs[0]?.sha256]);
  expect(outcomes.map(({ attempts }) => attempts)).toEqual(outcomes.map(() => 1));
  const ends = await Promise.all(handles.map(async (handle) => (await handle.describe()).closeTime?.getTime() ?? 0));
  const pausesMs = ends.sort((a, b) => a - b).map((end, index) => end - (ends[index - 1] ?? end));
  console.log(`longest pause between the ends of two runs: ${(Math.max(...pausesMs) / 1_000).toFixed(1)} s`);
  await cluster.restart('history-2');
  await cluster.restart('matching-2');
}, 600_000);

test('a frontend that demands a certificate and a signed token accepts only workers with both', async () => {
  const [own, client] = [certificateOf('localhost'), certificateOf('holdfast.test')];
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-certificates-'));
  const fileOf = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const header = { alg: 'RS256', kid: 'key-1' };
  const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), ...header, use: 'sig' }] });
  const keySource = media.on('GET /keys', (_, response) => void response.end(keys));
  const tokenFor = async (permission: string) =>
    await new SignJWT({ sub: 'holdfast', permissions: [permission] })
      .setProtectedHeader(header)
      .setExpirationTime('1h')
      .sign(privateKey);
  const address = await cluster.addFrontend({
    tls: {
      frontend: {
        server: {
          certFile: await fileOf('own.pem', own.cert),
          keyFile: await fileOf('own.key', own.key),
          requireClientAuth: true,
          clientCaFiles: [await fileOf('client.pem', client.cert)],
        },
      },
    },
    authorization: { jwtKeyProvider: { keySourceURIs: [keySource] }, authorizer: 'default', claimMapper: 'default' },
  });
  const certificate = {
    TEMPORAL_TLS_CLIENT_CERT_PATH: join(folder, 'client.pem'),
    TEMPORAL_TLS_CLIENT_KEY_PATH: await fileOf('client.key', client.key),
  };
  const runs = async (who: Environment) =>
    await run(process.execPath, ['cli/main.ts', 'runs', '--json'], {
      environment: testEnvironment({
        TEMPORAL_ADDRESS: address,
        TEMPORAL_TLS_SERVER_CA_CERT_DATA: own.cert,
        HOLDFAST_HOME: folder,
        ...who,
      }),
    });
  const TEMPORAL_API_KEY = await tokenFor('default:write');
  for (const who of [
    certificate,
    { TEMPORAL_API_KEY },
    { ...certificate, TEMPORAL_API_KEY: await tokenFor('other:write') },
  ]) {
    expect((await runs(who)).code).not.toBe(0);
  }
  const taskQueue = 'secured';
  const secured = await TestStack.start({
    temporal: cluster.asServer(),
    containers: 0,
    taskQueue,
    workerEnvironment: {
      TEMPORAL_ADDRESS: address,
      TEMPORAL_TLS_SERVER_CA_CERT_DATA: own.cert,
      CONTAINER_URLS: stack.container.url,
      ...certificate,
      TEMPORAL_API_KEY,
    },
  });
  const uploadUrl = `${media.url}/secured.mp3`;
  const sourceUrl = media.serve('/speech.wav', speechWav);
  const handle = await secured.run('encode', { sourceUrl, outputs: [{ format: 'mp3_64', uploadUrl }] });
  expect(EncodeOutcome.parse(await handle.result())).toMatchObject({ attempts: 1 });
  const { code, output } = await runs({ ...certificate, TEMPORAL_API_KEY });
  expect(code, output).toBe(0);
  expect(output).toContain('"runs"');
  await secured.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a second whose only activity refuses the input: measures the server without any encode. */
async function throughput(of: TestStack): Promise<number> {
  const runs = 100;
  const wave = async (): Promise<number> => {
    const startedAtMs = performance.now();
    const handles = await Promise.all(Array.from({ length: runs }, () => of.run('encode', { outputs: [] })));
    const ends = await Promise.allSettled(handles.map((handle) => handle.result()));
    expect(ends.map(({ status }) => status)).toEqual(handles.map(() => 'rejected'));
    return (runs * 1_000) / (performance.now() - startedAtMs);
  };
  await wave();
  return median([await wave(), await wave(), await wave()]);
}

test('refused runs pass through the cluster and through the development server', async () => {
  const development = await startTemporal();
  const beside = await TestStack.start({
    temporal: development,
    containers: 0,
    workerEnvironment: { CONTAINER_URLS: stack.container.url },
  });
  const figures = [await throughput(stack), await throughput(beside)];
  const [ofCluster, ofDevelopment] = figures.map((value) => value.toFixed(1));
  console.log(
    `runs a second, median of 3 waves of 100: cluster ${ofCluster}, development server ${ofDevelopment} (load ${loadavg()[0]?.toFixed(1)})`,
  );
  await beside.stop();
  await development.stop();
}, 600_000);
