/**
 * Does a rolling update fail any request? Two servers behind a reverse proxy, two workers and two containers are replaced
 * one after the other, as Kubernetes does by the manifests, under at least 10,000 requests, uploads and event streams. No
 * request may fail. Sessions, uploads and events must survive, and each run is encoded once. The status is 1 on a
 * problem. `npm run bench:rollout -- [requests]`.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { HoldfastClient } from '../api-client/client.ts';
import { ensurePage } from '../scripts/setup/page.mjs';
import { seal, sealingKey } from '../server/access/sealed-token.ts';
import { anna, bearer, writeTokens } from '../test/server/access/token-holders.ts';
import { TestContainer } from '../test/support/container.ts';
import { longWav, musicOgg } from '../test/support/media.ts';
import type { LogLine, TestProcess } from '../test/support/process.ts';
import { textOf } from '../test/support/project-files.ts';
import { TestServer } from '../test/support/server.ts';
import { TestStack } from '../test/support/stack.ts';
import { percentile } from './percentile.ts';
import { ServiceStandIn } from './service-stand-in.ts';
import { inUnit, report } from './report.ts';

const leastRequests = Number(process.argv[2] ?? 10_000);
/** Requests that are open at any time, and the pause after each. */
const [clients, pauseMs] = [8, 20];
/** Seconds of audio; the encode takes a few seconds. */
const inputSeconds = 120;
const uploadBytes = 12 * 2 ** 20;
/**
 * Time from the end of a pod until proxies have removed its endpoint. It is longer than the server's drain: a server
 * without preStop fails requests.
 */
const removalMs = 8_000;
const preStopMs =
  1_000 * Number(/preStop: \{ sleep: \{ seconds: (\d+)/.exec(textOf('deploy/kubernetes/base/server.yaml'))?.[1] ?? 0);
const drainMs = 120_000;
/** Requests for each new run; the others repeat its start. */
const requestsPerRun = 300;

const folder = await mkdtemp(join(tmpdir(), 'holdfast-rollout-'));
const media = join(folder, 'media');
await mkdir(media);
await ensurePage(process.execPath);
const stack = await TestStack.start({
  containers: 2,
  containerEnvironment: { MEDIA_ROOT: media, DRAIN_TIMEOUT_SECONDS: String(drainMs / 1_000), RETRY_AFTER_SECONDS: '1' },
});
const lives = [...stack.containers];
const linkKey = 'k'.repeat(32);
const serverEnvironment = {
  TEMPORAL_ADDRESS: stack.temporal.address,
  SERVER_TOKENS_FILE: await writeTokens(folder),
  SERVER_LINK_KEY: linkKey,
  SERVER_REQUESTS_PER_MINUTE: '1000000',
  MEDIA_ROOT: media,
  // Sessions that exist need no answer of the provider.
  OIDC_ISSUER: 'http://127.0.0.1:1',
  OIDC_CLIENT_ID: 'holdfast',
};
const service = await ServiceStandIn.start();
let servers = await Promise.all([1, 2].map(async () => TestServer.start(serverEnvironment)));
for (const { url } of servers) await service.add(url);
let workers: TestProcess[] = [stack.worker, await stack.addWorker()];

const inAnHour = new Date(Date.now() + 3_600_000);
const session = await seal({ sub: 'anna', jti: 'session' }, inAnHour, sealingKey(linkKey, 'session'));
const asAnna = bearer(anna);
const agent = new Agent({ connections: clients });
const client = new HoldfastClient({ url: service.url, token: () => anna });
const source = await readFile(await longWav({ seconds: inputSeconds, channels: 2, source: musicOgg }));
const sourceUrl = await client.upload(new File([source], 'in.wav', { type: 'audio/wav' }));

const problems: string[] = [];
let role = 'nothing is replaced';
const latenciesMs = new Map<string, number[]>();
const failures = new Map<string, number>();
const runIds: string[] = [];
let sent = 0;
let isRolledOut = false;
const isOver = (): boolean => isRolledOut && sent >= leastRequests;

interface Sent {
  method?: 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
  /** Why the answer is wrong. */
  problem?(body: string): string | undefined;
}

function nextRequest(number: number): Sent {
  const run = runIds[number % runIds.length];
  const kind = number % 20;
  if (kind === 0) {
    const key = String(Math.floor(number / requestsPerRun));
    const outputs = [{ format: 'mp3_128', uploadUrl: `result:${key}.mp3` }];
    const body = JSON.stringify({ workflow: 'encode', input: { sourceUrl, outputs } });
    const headers = { ...asAnna, 'content-type': 'application/json', 'idempotency-key': key };
    return { method: 'POST', path: '/api/runs', headers, body, problem: keepRun };
  }
  if (kind < 3) {
    const problem = (text: string) => (text.includes('"signedIn":true') ? undefined : `the session is ${text}`);
    return { path: '/api/session', headers: { cookie: `holdfast_session=${session}` }, problem };
  }
  if (kind < 7) return { path: '/', headers: {} };
  if (kind < 13 && run !== undefined) return { path: `/api/runs/${run}`, headers: asAnna };
  return { path: '/api/runs?limit=20', headers: asAnna };
}

function keepRun(body: string): undefined {
  const { id } = JSON.parse(body) as { id: string };
  if (!runIds.includes(id)) runIds.push(id);
}

async function sendOne(): Promise<void> {
  const during = role;
  const { path, problem, ...options } = nextRequest((sent += 1));
  const startMs = performance.now();
  let wrong: string | undefined;
  try {
    const { statusCode, body } = await request(`${service.url}${path}`, { ...options, dispatcher: agent });
    const text = await body.text();
    wrong = statusCode >= 300 ? `${statusCode} ${text}` : problem?.(text);
  } catch (error) {
    wrong = String(error);
  }
  const list = latenciesMs.get(during) ?? [];
  latenciesMs.set(during, list);
  list.push(performance.now() - startMs);
  if (wrong === undefined) return;
  failures.set(during, (failures.get(during) ?? 0) + 1);
  problems.push(`${options.method ?? 'GET'} ${path}, while ${during}: ${wrong.slice(0, 200)}`);
}

async function sendAll(): Promise<void> {
  while (!isOver()) {
    await sendOne();
    await delay(pauseMs);
  }
}

let uploads = 0;
async function uploadAll(): Promise<void> {
  while (!isOver()) {
    const bytes = randomBytes(uploadBytes);
    try {
      const sentAs = await client.upload(new File([bytes], 'talk.wav', { type: 'audio/wav' }));
      const stored = await readFile(join(media, 'holdfast/uploads', sentAs.slice('upload:'.length)));
      if (!stored.equals(bytes)) problems.push(`${sentAs} is not the file that was sent`);
      uploads += 1;
    } catch (error) {
      problems.push(`an upload failed: ${String(error)}`);
    }
  }
}

const viewing = new AbortController();
let reconnects = 0;
/** Ends that a viewer of all runs has seen, as the page does. */
async function viewAll(ended: Set<string>): Promise<void> {
  const keep = ({ id, endedAt }: { id: string; endedAt?: string | undefined }): void => {
    if (endedAt !== undefined) ended.add(id);
  };
  for await (const { event, data } of client.events({ signal: viewing.signal, onLost: () => (reconnects += 1) })) {
    if (event === 'run') keep(data);
    else if (!data.resumed) for (const run of (await client.list({ limit: 200 })).runs) keep(run);
  }
}

async function replaceServer(index: number): Promise<void> {
  const old = servers[index];
  if (old === undefined) throw new Error(`there is no server ${index}`);
  const next = await TestServer.start(serverEnvironment);
  await service.add(next.url);
  const removed = delay(removalMs).then(() => service.remove(old.url));
  await delay(preStopMs);
  await old.stop();
  await removed;
  servers = servers.with(index, next);
}

async function replaceWorker(index: number): Promise<void> {
  const next = await stack.addWorker();
  await workers[index]?.stop();
  workers = workers.with(index, next);
}

async function replaceContainer(index: number): Promise<void> {
  const old = stack.containers[index];
  if (old === undefined) throw new Error(`there is no container ${index}`);
  await old.process.stop('SIGTERM', drainMs + 10_000);
  const next = await TestContainer.restart(old);
  stack.containers[index] = next;
  lives.push(next);
}

async function rollOut(): Promise<void> {
  const steps: [string, (index: number) => Promise<void>][] = [
    ['server', replaceServer],
    ['worker', replaceWorker],
    ['container', replaceContainer],
  ];
  for (const [name, replace] of steps) {
    for (const index of [0, 1]) {
      role = `${name} ${index + 1} is replaced`;
      await replace(index);
    }
  }
  role = 'all is replaced';
  isRolledOut = true;
}

/** Containers that a run had jobs on, one entry for each job. */
function jobCounts(): Map<string, number> {
  const counts = new Map<string, number>();
  const isStart = ({ msg }: LogLine): boolean => msg?.startsWith('[JOB_START]') ?? false;
  for (const { idempotencyKey } of lives.flatMap(({ process: { logLines } }) => logLines.filter(isStart))) {
    counts.set(String(idempotencyKey), (counts.get(String(idempotencyKey)) ?? 0) + 1);
  }
  return counts;
}

const viewers = [1, 2, 3].map(() => new Set<string>());
try {
  const viewed = Promise.all(viewers.map(viewAll));
  const uploaded = uploadAll();
  const loads = Array.from({ length: clients }, sendAll);
  await stack.worker.until('load', () => sent >= leastRequests / 10, 600_000);
  await rollOut();
  await Promise.all([uploaded, ...loads]);
  const ends = await Promise.all(runIds.map(async (id) => client.untilEnded(id)));
  for (const { id, state } of ends) if (state !== 'succeeded') problems.push(`${id} is ${state}`);
  const missed = () => ends.filter(({ id }) => viewers.some((ended) => !ended.has(id)));
  await stack.worker.until('ends in all event streams', () => missed().length === 0, 30_000).catch(() => undefined);
  for (const { id, endedAt } of missed()) problems.push(`a viewer has missed that ${id} ended at ${endedAt}`);
  viewing.abort();
  await viewed;
  const repeated = [...jobCounts()].filter(([, count]) => count > 1);
  for (const [key, count] of repeated) problems.push(`${key} was encoded ${count} times`);

  for (const [during, latencies] of latenciesMs) {
    report('rollout', during, {
      requests: inUnit('count', latencies.length),
      failed: inUnit('count', failures.get(during) ?? 0),
      '99th percentile': inUnit('s', percentile(latencies, 0.99) / 1_000),
    });
  }
  console.log(
    `${sent} requests, ${uploads} uploads of ${uploadBytes / 2 ** 20} MiB, ${runIds.length} runs, ${viewers.length} viewers who ` +
      `reconnected ${reconnects} times; preStop ${preStopMs / 1_000} s, endpoints removed after ${removalMs / 1_000} s`,
  );
} finally {
  viewing.abort();
  service.stop();
  await Promise.all(servers.map((server) => server.stop()));
  await agent.close();
  await stack.stop();
  await rm(folder, { recursive: true, force: true });
}
console.log(problems.length === 0 ? 'No request failed.' : `${problems.length} problems`);
for (const problem of [...new Set(problems)].slice(0, 20)) console.log(`- ${problem}`);
process.exitCode = problems.length === 0 ? 0 : 1;
