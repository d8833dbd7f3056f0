/**
 * Temporal's database is lost in the middle of 50 runs and restored from an earlier dump, as docs/disaster-recovery.md
 * describes: containers, the server and the workers beside the containers continue, and the workers of the workflows
 * stop before the restored server starts. All runs must end well, no container may encode a run twice, and the command
 * of the document must list the runs that the dump does not have. `npm run check:disaster -- [containers]`, 1 by
 * default.
 */
import { copyFile, link, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import pMap from 'p-map';
import { longWav, musicOgg } from '../support/media.ts';
import { type LogLine, run, testEnvironment } from '../support/process.ts';
import { textOf } from '../support/project-files.ts';
import { TestServer } from '../support/server.ts';
import { TestStack } from '../support/stack.ts';
import { startTemporal } from '../support/temporal.ts';
import { toolPath } from '../support/tools.ts';

const containerCount = Number(process.argv[2] ?? 1);
if (!(containerCount > 0)) throw new Error(`"${process.argv[2]}" is no number of containers`);

/** Numbers of runs that start before and after the dump. */
const [keptCount, lostCount] = [30, 20];
/** Numbers of runs that have ended when the dump is made, and when the database is lost. */
const [endedAtDump, endedAtLoss] = [6, 30];
/** Seconds of audio; the encode takes a second or two. */
const inputSeconds = 40;
const waitMs = 5 * 60_000;

const folder = await mkdtemp(join(tmpdir(), 'holdfast-disaster-'));
const [media, data, dump] = ['media', 'data', 'dump'].map((name) => join(folder, name)) as [string, string, string];
await Promise.all([media, data, dump].map((path) => mkdir(path)));
await copyFile(await longWav({ seconds: inputSeconds, channels: 2, source: musicOgg }), join(media, 'in.wav'));

const databaseFile = join(data, 'temporal.db');
const temporal = await startTemporal({ databaseFile });
const stack = await TestStack.start({
  temporal,
  containers: containerCount,
  containerEnvironment: { MEDIA_ROOT: media },
  workerEnvironment: { WORKER_ROLES: 'container' },
});
const workflowsRole = { WORKER_ROLES: 'workflows,provider,webhooks' };
const workflows = await stack.addWorker(workflowsRole);
const server = await TestServer.start({ TEMPORAL_ADDRESS: temporal.address, SERVER_REQUESTS_PER_MINUTE: '1000000' });
const problems: string[] = [];

interface StartedRun {
  name: string;
  id: string;
  runId: string;
  /** HTTP status of the start: 200 for a run that exists. */
  status: number;
}

/** `name` is also the idempotency key, so a repeated start joins the run. */
async function start(name: string, priority: number): Promise<StartedRun> {
  const outputs = [{ format: 'mp3_128', uploadUrl: pathToFileURL(join(media, `${name}.mp3`)).href }];
  const input = { sourceUrl: pathToFileURL(join(media, 'in.wav')).href, outputs };
  const { status, body } = await server.post(
    '/api/runs',
    { workflow: 'encode', input, priority },
    { 'idempotency-key': name },
  );
  if (status !== 201 && status !== 200)
    throw new Error(`the start of ${name} was answered ${status}: ${JSON.stringify(body)}`);
  return { name, id: body.id, runId: body.runId, status };
}

async function startAll(names: readonly string[], priority: number): Promise<StartedRun[]> {
  return await pMap(names, async (name) => start(name, priority), { concurrency: 4 });
}

const storedFiles = async (): Promise<string[]> => (await readdir(media)).filter((name) => name.endsWith('.mp3'));

async function untilStored(count: number): Promise<void> {
  await stack.worker.until(`${count} stored files`, async () => (await storedFiles()).length >= count, waitMs);
}

interface JobStart {
  key: string;
  container: number;
  atMs: number;
}

/** Jobs that the containers have started, in the order of their times. */
function jobStarts(): JobStart[] {
  const isStart = ({ msg }: LogLine): boolean => msg?.startsWith('[JOB_START]') ?? false;
  return stack.containers
    .flatMap(({ process: { logLines } }, container) =>
      logLines.filter(isStart).map(({ idempotencyKey, time }) => ({
        key: String(idempotencyKey),
        container,
        atMs: Date.parse(String(time)),
      })),
    )
    .sort((a, b) => a.atMs - b.atMs);
}

async function stateOf({ id }: StartedRun): Promise<string> {
  return (await server.get(`/api/runs/${encodeURIComponent(id)}`)).body?.state ?? 'unknown';
}

async function copyDatabase(from: string, to: string): Promise<void> {
  const names = (await readdir(from)).filter((name) => name.startsWith('temporal.db'));
  await Promise.all(names.map((name) => copyFile(join(from, name), join(to, name))));
}

/** The command of the document, with its file names in `folder`. */
async function listLostRuns(sinceMs: number): Promise<string[]> {
  const [, command] =
    /<!-- command: lost runs -->\s+```bash\n([^]*?)```/.exec(textOf('docs/disaster-recovery.md')) ?? [];
  if (command === undefined) throw new Error('docs/disaster-recovery.md has no command that lists lost runs');
  const lines = server.process.logLines.map((line) => `${JSON.stringify(line)}\n`);
  await writeFile(join(folder, 'server.log'), ['(node:1) Warning: a line that is no JSON\n', ...lines].join(''));
  const cli = await toolPath('TEMPORAL_CLI_PATH');
  // The tool's file has another name than its command.
  await rm(join(folder, 'temporal'), { force: true });
  await link(cli, join(folder, 'temporal')).catch(async () => copyFile(cli, join(folder, 'temporal')));
  const environment = testEnvironment({
    TEMPORAL_ADDRESS: temporal.address,
    SINCE: new Date(sinceMs).toISOString(),
    PATH: `${folder}:${process.env['PATH']}`,
  });
  const { code, output } = await run('bash', ['-euo', 'pipefail', '-c', command], { environment, cwd: folder });
  if (code !== 0) throw new Error(`the command of the document failed: ${output}`);
  return output.split('\n').filter((line) => line !== '');
}

const seconds = (ms: number): string => (ms / 1000).toFixed(1);

try {
  const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
  const [keptNames, lostNames] = [names('kept', keptCount), names('lost', lostCount)];
  const kept = await startAll(keptNames, 3);
  await untilStored(endedAtDump);

  // A frozen server's files are those of a disk snapshot.
  process.kill(temporal.process.pid, 'SIGSTOP');
  const dumpedAtMs = Date.now();
  await copyDatabase(data, dump);
  process.kill(temporal.process.pid, 'SIGCONT');
  const storedAtDump = new Set(await storedFiles());

  // Half of the later runs overtake the earlier ones. At the loss, some of them have ended, and one is under way.
  const lost = [
    ...(await startAll(lostNames.slice(0, lostCount / 2), 1)),
    ...(await startAll(lostNames.slice(lostCount / 2), 5)),
  ];
  await untilStored(endedAtLoss);
  await temporal.process.stop('SIGKILL');
  const lostAtMs = Date.now();
  const storedAtLoss = await storedFiles();
  // This worker caches runs of the lost database.
  await workflows.stop();
  const startsBefore = jobStarts().length;
  await rm(data, { recursive: true });
  await mkdir(data);
  await copyDatabase(dump, data);
  const restoredAtMs = Date.now();
  await temporal.restart();
  await stack.addWorker(workflowsRole);
  await stack.worker.until('the first job after the restore', () => jobStarts().length > startsBefore, waitMs);
  const firstJobMs = (jobStarts()[startsBefore]?.atMs ?? 0) - restoredAtMs;

  const found = await listLostRuns(dumpedAtMs);
  const expected = lost.map(({ id }) => id).sort();
  if (found.join() !== expected.join()) {
    problems.push(`the command lists ${found.length} runs, and ${expected.length} are lost: ${found.join(', ')}`);
  }
  const again = await startAll([...keptNames, ...lostNames], 3);
  for (const { name, status } of again) {
    const isExpected = status === (name.startsWith('kept') ? 200 : 201);
    if (!isExpected) problems.push(`the repeated start of ${name} was answered ${status}`);
  }

  const endBy = Date.now() + waitMs;
  let open = again;
  while (open.length > 0 && Date.now() < endBy) {
    const states = await pMap(open, async (one) => [one, await stateOf(one)] as const, { concurrency: 4 });
    for (const [{ name }, state] of states)
      if (['failed', 'cancelled'].includes(state)) problems.push(`${name} is ${state}`);
    open = states.flatMap(([one, state]) => (['succeeded', 'failed', 'cancelled'].includes(state) ? [] : [one]));
    await delay(500);
  }
  const endedMs = Date.now() - restoredAtMs;
  for (const { name } of open) problems.push(`${name} has not ended`);
  const stored = await storedFiles();
  for (const name of [...keptNames, ...lostNames]) {
    if (!stored.includes(`${name}.mp3`)) problems.push(`${name}.mp3 is not stored`);
  }

  const starts = jobStarts();
  const jobsOf = (key: string) => starts.filter((start) => start.key === key);
  let elsewhere = 0;
  for (const { name, runId } of [...kept, ...again.filter(({ status }) => status === 201)]) {
    const containers = jobsOf(`${runId}:encode`).map(({ container }) => container);
    const once = new Set(containers);
    if (once.size === 0) problems.push(`${name} has no job`);
    if (once.size < containers.length) problems.push(`one container has encoded ${name} ${containers.length} times`);
    elsewhere += once.size > 1 ? 1 : 0;
  }
  const reopened = storedAtLoss.filter((name) => name.startsWith('kept') && !storedAtDump.has(name)).length;
  const lostEnded = storedAtLoss.filter((name) => name.startsWith('lost')).length;
  const rows = [
    [`runs in the dump`, `${keptCount}, of which ${storedAtDump.size} had stored their file`],
    [`runs that ended between dump and loss`, `${reopened}; the dump has them as open`],
    [`runs lost with the database`, `${lostCount}, of which ${lostEnded} had stored their file`],
    [`time between dump and loss`, `${seconds(lostAtMs - dumpedAtMs)} s`],
    [`lost runs that the command lists`, `${found.length}`],
    [`start of the restored server to the first new job`, `${seconds(firstJobMs)} s`],
    [`start of the restored server to the end of all runs`, `${seconds(endedMs)} s`],
    [`jobs in all`, `${starts.length} by ${containerCount} containers`],
    [`runs that two containers encoded`, `${elsewhere}`],
  ];
  for (const [name, value] of rows) console.log(`${name}: ${value}`);
  console.log(`load ${loadavg()[0]?.toFixed(1)}`);
} finally {
  await server.stop();
  await stack.stop();
  await temporal.stop();
  await rm(folder, { recursive: true, force: true });
}
console.log(
  problems.length === 0 ? 'All runs ended, and no container encoded a run twice.' : `${problems.length} problems`,
);
for (const problem of problems) console.log(`- ${problem}`);
process.exitCode = problems.length === 0 ? 0 : 1;
