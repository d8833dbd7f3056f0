/**
 * Mixed runs for any time, while containers, workers and Temporal are killed and deployed at random, clocks are stepped
 * and every service makes faults. Each run sends webhooks. Nothing may be lost or done twice, and nothing may grow.
 * `npm run soak -- [minutes] [picture.svg]`, 10 minutes by default; CHAOS_SEED=<number> repeats the random choices. The
 * status is 1 on a problem.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { drawChart } from './line-chart.ts';
import { messageOf } from '../../contract/unknown-values.ts';
import { findDoubleWork } from '../chaos/support/job-lives.ts';
import { Seed } from '../chaos/support/seed.ts';
import { run } from '../support/process.ts';
import { pickKind, type SoakRun, startSoakRun } from './kinds.ts';
import { courseOf, folderMebibytes, sampleProcess, type SoakSample } from './samples.ts';
import { SoakStack } from './soak-stack.ts';
import { isGrowing, trendOf } from './verdict.ts';

const minutes = Number(process.argv[2] ?? 10);
const picture = process.argv[3];
if (!(minutes > 0)) throw new Error(`"${process.argv[2]}" is no number of minutes`);
const openRuns = 5;
const sampleEveryMs = 5_000;
/** Longest time between two strikes. */
const strikeWithinMs = 20_000;
/**
 * Time that a run may take after the end: the longest encode on a loaded machine, and the waits before its attempts.
 */
const patienceMs = 10 * 60_000;
/** Growth that is always allowed: a cache that fills, one more connection. */
const least = { heldMebibytes: 6, residentMebibytes: 30, fileDescriptors: 6, scratchMebibytes: 20 };

const seed = new Seed();
const soak = await SoakStack.start(seed);
const { stack } = soak;
const film = join(soak.s3.folder, 'media/film.mp4');
const pictures = [
  '-f',
  'lavfi',
  '-i',
  'testsrc2=size=160x120:rate=25:duration=4',
  '-f',
  'lavfi',
  '-i',
  'sine=duration=4',
];
const made = await run('ffmpeg', ['-v', 'error', '-nostdin', ...pictures, '-c:v', 'libx264', '-c:a', 'aac', film]);
if (made.code !== 0) throw new Error(made.output);

const startedAtMs = Date.now();
const endsAtMs = startedAtMs + minutes * 60_000;
const isOver = () => Date.now() >= endsAtMs;
const runs: SoakRun[] = [];
const problems: string[] = [];
const events: Record<string, number[]> = {};
const strikes: Record<string, number> = {};
const samples: SoakSample[] = [];
let ended = 0;

async function submitAndAwait(): Promise<void> {
  while (!isOver()) {
    // Nothing starts for a moment after Temporal was killed.
    const one = await startSoakRun(
      soak,
      pickKind((limit) => seed.below(limit)),
    ).catch(() => undefined);
    if (one === undefined) {
      await delay(500);
      continue;
    }
    runs.push(one);
    const found = await Promise.race([one.problems, untilGivenUp()]);
    problems.push(...found.map((problem) => `${one.kind} (${one.handle.workflowId}): ${problem}`));
    ended += 1;
    const info = await one.handle.describe().catch(() => undefined);
    if (info !== undefined) (events[one.kind] ??= []).push(info.historyLength);
  }
}

async function untilGivenUp(): Promise<string[]> {
  await delay(endsAtMs + patienceMs - Date.now(), undefined, { ref: false });
  return [`it has not ended ${patienceMs / 60_000} minutes after all that was done to it`];
}

/** Includes runs whose start was not confirmed because Temporal was killed. */
async function findOpenRuns(): Promise<string[]> {
  const query = `ExecutionStatus = 'Running' AND WorkflowType IN ('encode', 'chunking', 'processing', 'webhook')`;
  for (;;) {
    const open: string[] = [];
    for await (const { type, workflowId } of stack.client.workflow.list({ query }))
      open.push(`${type} (${workflowId})`);
    if (open.length === 0 || Date.now() > endsAtMs + patienceMs) return open;
    await delay(1_000);
  }
}

async function findHeldPermits(): Promise<string[]> {
  const limiters = await soak.client.limiters();
  return limiters.flatMap(({ key, details, problem }) => {
    if (details === undefined) return [`the limiter of ${key} does not answer: ${problem?.detail}`];
    const { permits_in_use: held } = details.stats;
    return held === 0 ? [] : [`${held} permits of ${key} are in use, although no run is open`];
  });
}

async function strikeAtRandom(): Promise<void> {
  for (;;) {
    await seed.moment(strikeWithinMs);
    if (isOver()) return;
    const name = seed.pick(Object.keys(soak.strikes));
    strikes[name] = (strikes[name] ?? 0) + 1;
    await soak.strikes[name]?.().catch((error: unknown) => problems.push(`${name}: ${messageOf(error)}`));
  }
}

async function busyContainers(): Promise<number> {
  const jobs = await Promise.all(
    stack.containers.map((container) =>
      container.health().then(
        ({ jobs: now }) => now.length,
        () => 0,
      ),
    ),
  );
  return jobs.filter((count) => count > 0).length;
}

async function sample(): Promise<void> {
  const lasting = Object.entries(soak.lasting);
  const processes = await Promise.all(
    lasting.map(async ([name, child]) => [name, await sampleProcess(child)] as const),
  );
  const scratch = await Promise.all(stack.containers.map(({ scratchDir }) => folderMebibytes(scratchDir)));
  samples.push({
    atSeconds: (Date.now() - startedAtMs) / 1_000,
    processes: Object.fromEntries(processes),
    scratchMebibytes: scratch.reduce((sum, size) => sum + size, 0),
    busy: await busyContainers(),
    open: runs.length - ended,
    ended,
    strikes: Object.values(strikes).reduce((sum, count) => sum + count, 0),
  });
}

async function sampleAll(): Promise<void> {
  while (!isOver()) {
    await sample();
    await delay(sampleEveryMs);
  }
}

await Promise.all([sampleAll(), strikeAtRandom(), ...Array.from({ length: openRuns }, submitAndAwait)]);

problems.push(...(await findOpenRuns()).map((name) => `${name} is still open`));
problems.push(...(await findHeldPermits()));
const toldEnds = soak.toldEnds();
for (const { kind, runId } of runs) {
  if (!toldEnds.has(runId)) problems.push(`no webhook told the end of ${kind} (run ${runId})`);
}

const keysOf = ({ runId }: SoakRun) => ['encode', 'chunk'].map((step) => `${runId}:${step}`);
const started = new Set(
  soak.lives.flatMap(({ container }) => container.process.logLines.map((line) => String(line['idempotencyKey']))),
);
for (const one of runs.filter(({ succeeds }) => succeeds)) {
  const keys = keysOf(one).filter((name) => started.has(name));
  if (keys.length === 0) problems.push(`${one.kind} (${one.handle.workflowId}): no container tells of its job`);
  for (const key of keys) problems.push(...findDoubleWork(soak.lives, key));
}
for (const { scratchDir, ...container } of stack.containers) {
  const left = await folderMebibytes(scratchDir);
  if (left > 0) problems.push(`${container.url} has left ${left.toFixed(1)} MiB of scratch`);
}

const held = ['heldMebibytes', 'residentMebibytes', 'fileDescriptors'] as const;
const courses = [
  ...Object.keys(soak.lasting).flatMap((name) =>
    held.map((what) => ({
      name: `${what} of the ${name}`,
      what,
      course: courseOf(samples, ({ processes }) => processes[name]?.[what]),
    })),
  ),
  {
    name: 'scratchMebibytes',
    what: 'scratchMebibytes' as const,
    course: courseOf(samples, (at) => at.scratchMebibytes),
  },
];
for (const { name, what, course } of courses) {
  const { mean, rise, riseError } = trendOf(course);
  console.log(
    `${name}: ${mean.toFixed(1)}, rise in the second half ${rise.toFixed(1)} ± ${(2 * riseError).toFixed(1)}`,
  );
  if (isGrowing(course, least[what])) problems.push(`${name} grows`);
}
for (const [kind, lengths] of Object.entries(events)) {
  console.log(`${kind}: ${lengths.length} runs, ${Math.max(...lengths)} events at most`);
}
const busyShare = samples.reduce((sum, { busy }) => sum + busy, 0) / samples.length / stack.containers.length;
console.log(`containers busy for ${(100 * busyShare).toFixed(0)} % of the time; struck: ${JSON.stringify(strikes)}`);
console.log(
  `${runs.length} runs in ${minutes} minutes (seed ${seed.value}): ${problems.length === 0 ? 'nothing lost, nothing twice, nothing grows' : `${problems.length} problems`}`,
);
for (const problem of problems) console.log(`- ${problem}`);
if (picture !== undefined) await writeFile(picture, draw());
await soak.stop();
process.exitCode = problems.length === 0 ? 0 : 1;

function draw(): string {
  const colors: Record<string, string> = { container: '#2a7', worker: '#157', server: '#c40' };
  const ofProcesses = (what: (typeof held)[number]) =>
    Object.keys(soak.lasting).map((name) => ({
      name,
      color: colors[name] ?? '#555',
      points: courseOf(samples, ({ processes }) => processes[name]?.[what]),
    }));
  const line = (name: string, color: string, value: (at: SoakSample) => number) => ({
    name,
    color,
    points: courseOf(samples, value),
  });
  const strips = [
    { title: 'Memory held, MiB', lines: ofProcesses('heldMebibytes') },
    { title: 'Resident memory, MiB', lines: ofProcesses('residentMebibytes') },
    { title: 'File descriptors', lines: ofProcesses('fileDescriptors') },
    { title: 'Scratch space, MiB', lines: [line('scratch', '#157', (at) => at.scratchMebibytes)] },
    {
      title: 'Containers and runs',
      lines: [line('busy', '#2a7', ({ busy }) => busy), line('open runs', '#157', ({ open }) => open)],
    },
    {
      title: 'So far',
      lines: [line('ended runs', '#157', (at) => at.ended), line('strikes', '#c40', (at) => at.strikes)],
    },
  ];
  const ticks = Array.from(
    { length: 6 },
    (_, index) => [index * minutes * 12, `${((index * minutes) / 5).toFixed(0)} min`] as const,
  );
  return drawChart(strips, { title: `${minutes} minutes, ${runs.length} runs`, from: 0, to: minutes * 60, ticks });
}
