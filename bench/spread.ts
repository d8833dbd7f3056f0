/**
 * How much faster do several containers encode one film? Each container has one core (`taskset`), or a part of a core
 * (cgroup quota). Each round encodes the film on one container, and then spread over all containers.
 * `npm run bench:spread -- [seconds] [rounds] [containers] [cores of each] [seconds of a segment] [codec …]`,
 * 120, 3, 2, 1, 60 and h264 by default. The codec `ladder` is an HLS package of three sizes in H.264. `mp3` and `opus`
 * encode a recording that is ten times as long as the film. The bench reports the measured figures, and a model for 8 to
 * 64 containers.
 */
import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, realpath, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { JobsPage } from '../contract/http/job.ts';
import type { EncodeOutcome } from '../contract/workflow/encode.ts';
import { soundLengthFactor } from '../engine/spread/plan-sound.ts';
import { music } from '../test/engine/sound/segmented/inputs.ts';
import type { TestContainer } from '../test/support/container.ts';
import { RunHistory } from '../test/support/history.ts';
import { run } from '../test/support/process.ts';
import { TestStack } from '../test/support/stack.ts';
import { cpuSecondsOf } from './cost.ts';
import { detailedInput } from './detailed-clip.ts';
import { median } from './median.ts';
import { reportModel, type SpreadCosts } from './spread-model.ts';
import { comparePictures, compareSound } from './spread-quality.ts';
import { inUnit, ratios, report } from './report.ts';

const [seconds = 120, rounds = 3, count = 2, cores = 1, segmentSeconds = 60] = process.argv.slice(2, 7).map(Number);
const height = 720;
const fps = 25;

/** Length of the recording in lengths of the film: sound is encoded fast, and its segments are longer. */
const recordingFactor = 10;

/** Outputs of the bench. `overlapSeconds` are encoded before and after a segment. */
const kinds = {
  h264: { container: 'mp4', overlapSeconds: 260 / fps },
  hevc: { container: 'mp4', overlapSeconds: 250 / fps },
  av1: { container: 'mp4', overlapSeconds: 267 / fps },
  vp9: { container: 'webm', overlapSeconds: 300 / fps },
  ladder: { container: undefined, overlapSeconds: 260 / fps },
  mp3: { format: 'mp3_128', overlapSeconds: 12 },
  opus: { format: 'opus_96', overlapSeconds: 23 },
} as const;
type Kind = keyof typeof kinds;

const heights = [720, 480, 360];

const isSound = (kind: Kind): boolean => 'format' in kinds[kind];
const isKind = (name: string): name is Kind => name in kinds;
const asked = process.argv.length > 7 ? process.argv.slice(7) : ['h264'];
const codecs = asked.filter(isKind);
if (codecs.length < asked.length)
  throw new Error(
    `Each codec must be one of ${Object.keys(kinds).join(', ')}, but these were given: ${asked.join(', ')}`,
  );

const folder = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-bench-')));
const url = (name: string): string => pathToFileURL(join(folder, name)).href;

/** Pans over fine detail, with a cut every seven seconds. */
async function makeFilm(): Promise<void> {
  const cuts = "negate=enable='lt(mod(t,14),7)',hflip=enable='lt(mod(t,28),14)'";
  const { code, output } = await run(
    'ffmpeg',
    [
      ...['-nostdin', '-v', 'error', '-y', ...detailedInput(height, seconds, [cuts])],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '17', '-shortest', join(folder, 'film.mp4')],
    ],
    { timeoutMs: 3_600_000 },
  );
  if (code !== 0) throw new Error(output);
}

/** Folder of the CPU controller of cgroups v1 for one container of this bench. */
const quotaFolder = (index: number): string => `/sys/fs/cgroup/cpu/holdfast-bench-${process.pid}-${index}`;

/** Limits a container and all that it starts. */
async function limit({ process: { pid } }: TestContainer, index: number): Promise<void> {
  const core = index % availableParallelism();
  execFileSync('taskset', ['-a', '-c', '-p', String(core), String(pid)], { stdio: 'ignore' });
  if (cores >= 1) return;
  const quota = quotaFolder(index);
  await mkdir(quota);
  await writeFile(join(quota, 'cpu.cfs_period_us'), '20000');
  await writeFile(join(quota, 'cpu.cfs_quota_us'), String(Math.round(20_000 * cores)));
  await writeFile(join(quota, 'cgroup.procs'), String(pid));
}

interface Measured {
  wallSeconds: number;
  cpuSeconds: number;
  /** Processor seconds of the jobs that cannot run side by side: the time on a quiet machine, without the gaps. */
  pathSeconds: number;
  /** Seconds of plan, segments and join of a spread run, and of the gaps between them. */
  parts?: { plan: number; segments: number; join: number; gaps: number };
  seams: number[];
}

/** Processor seconds of plan and join, and of the segments of the container that has the most of them. */
async function pathOf(stack: TestStack, sinceMs: number): Promise<number> {
  let alone = 0;
  const lanes: number[] = [];
  for (const container of stack.containers) {
    const { jobs } = JobsPage.parse((await container.call('GET', '/jobs')).body);
    let lane = 0;
    for (const { jobId, startedAt } of jobs) {
      if (Date.parse(startedAt) < sinceMs) continue;
      const { result } = (await container.call('GET', `/jobs/${jobId}`)).body;
      const spent = Number(result?.usage?.cpuSeconds ?? Number.NaN);
      if (result?.part?.kind === 'segment') lane += spent;
      else alone += spent;
    }
    lanes.push(lane);
  }
  return alone + Math.max(...lanes);
}

const cpuOfAll = (stack: TestStack): number =>
  stack.containers.reduce((sum, { process }) => sum + cpuSecondsOf(process.pid), 0);

/** Times in seconds at which the containers logged these messages. */
const timesOf = (stack: TestStack, prefix: string): number[] =>
  stack.containers
    .flatMap(({ process }) => process.logLines)
    .filter(({ msg }) => msg?.startsWith(prefix))
    .map(({ time }) => Date.parse(String(time)) / 1000)
    .toSorted((one, other) => one - other);

interface Made {
  output: object;
  /** File that is compared. */
  compared: string;
  /** Files that count as its size, or their folder. */
  stored: string;
}

function madeAs(kind: Kind, name: string): Made {
  const facts = kinds[kind];
  if ('format' in facts) {
    const path = join(folder, name);
    return { output: { format: facts.format, uploadUrl: url(name) }, compared: path, stored: path };
  }
  const { container } = facts;
  if (container === undefined) {
    const renditions = heights.map((size) => ({ height: size }));
    const video = { codec: 'h264', speed: 'fast' };
    return {
      output: { package: ['hls'], layout: 'byte_ranges', video, renditions, uploadUrlPrefix: `${url(name)}/` },
      compared: join(folder, name, `v${height}.mp4`),
      stored: join(folder, name),
    };
  }
  const path = join(folder, `${name}.${container}`);
  const output = { container, video: { codec: kind, speed: 'fast' }, uploadUrl: pathToFileURL(path).href };
  return { output, compared: path, stored: path };
}

async function sizeOf(path: string): Promise<number> {
  const facts = await stat(path);
  if (!facts.isDirectory()) return facts.size;
  const sizes = await Promise.all((await readdir(path)).map((name) => sizeOf(join(path, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function encode(stack: TestStack, source: string, output: object, spread: object): Promise<Measured> {
  const [startMs, startCpu] = [Date.now(), cpuOfAll(stack)];
  const handle = await stack.run('encode', { sourceUrl: url(source), outputs: [output], ...spread });
  const outcome = (await handle.result()) as EncodeOutcome;
  if (outcome.spread?.reason !== undefined) throw new Error(`The film is not spread: ${outcome.spread.reason}`);
  const endMs = Date.now();
  const text = (await RunHistory.of(handle)).text();
  const borders = new Set([...text.matchAll(/"kind":"segment","from":(\d+)/g)].map(([, from]) => Number(from)));
  const own = (prefix: string): number[] => timesOf(stack, prefix).filter((time) => time > startMs / 1000);
  const [starts, ends] = [own('[JOB_START]'), own('[JOB_END]')];
  const measured = {
    wallSeconds: (endMs - startMs) / 1000,
    cpuSeconds: cpuOfAll(stack) - startCpu,
    pathSeconds: await pathOf(stack, startMs),
    seams: [...borders].filter((from) => from > 0),
  };
  if (starts.length < 3) return measured;
  const at = (times: readonly number[], index: number): number => times.at(index) ?? Number.NaN;
  const parts = {
    plan: at(ends, 0) - at(starts, 0),
    segments: at(ends, -2) - at(starts, 1),
    join: at(ends, -1) - at(starts, -1),
  };
  const gaps = measured.wallSeconds - parts.plan - parts.segments - parts.join;
  return { ...measured, parts: { ...parts, gaps } };
}

const costs = new Map<string, SpreadCosts>();

async function compare(stack: TestStack, codec: Kind): Promise<void> {
  const spread = { spread: { containers: count, segmentSeconds } };
  const [source, length] = isSound(codec) ? ['recording.wav', seconds * recordingFactor] : ['film.mp4', seconds];
  const [one, many]: [Measured[], Measured[]] = [[], []];
  const [single, joined] = [madeAs(codec, `one-${codec}`), madeAs(codec, `many-${codec}`)];
  for (let round = 0; round < rounds; round += 1) {
    one.push(await encode(stack, source, single.output, {}));
    many.push(await encode(stack, source, joined.output, spread));
  }
  const partsOf = (part: keyof NonNullable<Measured['parts']>): number[] =>
    many.map(({ parts }) => parts?.[part] ?? Number.NaN);
  costs.set(`${codec}, measured with ${length} s and ${count} containers`, {
    encode: median(one.map(({ wallSeconds }) => wallSeconds)) / length,
    plan: median(partsOf('plan')) / length,
    join: median(partsOf('join')) / length,
    gaps: median(partsOf('gaps')),
    overlap: kinds[codec].overlapSeconds,
    lengthFactor: isSound(codec) ? soundLengthFactor : 1,
    files: codec === 'ladder' ? heights.length : 1,
  });
  const [sizeOfOne, sizeOfMany] = [await sizeOf(single.stored), await sizeOf(joined.stored)];
  const seams = many[0]?.seams ?? [];
  const files = { source: join(folder, source), one: single.compared, many: joined.compared };
  const quality = isSound(codec)
    ? await compareSound(files, seams)
    : await comparePictures(files, seams, { fps, folder });
  const speedUp = (kind: 'wallSeconds' | 'pathSeconds') =>
    inUnit('ratio', ...one.map((alone, round) => alone[kind] / (many[round]?.[kind] ?? Number.NaN)));
  report('spread', `${codec}, ${length} s in ${seams.length + 1} segments, ${count} containers`, {
    'speed-up': speedUp('wallSeconds'),
    'by CPU of the longest path': speedUp('pathSeconds'),
    CPU: ratios(many, one, 'one container').CPU,
    size: inUnit('ratio', sizeOfMany / sizeOfOne),
    ...quality,
    plan: inUnit('s', ...partsOf('plan')),
    segments: inUnit('s', ...partsOf('segments')),
    join: inUnit('s', ...partsOf('join')),
    gaps: inUnit('s', ...partsOf('gaps')),
  });
}

if (codecs.some((codec) => !isSound(codec))) await makeFilm();
if (codecs.some(isSound)) {
  await copyFile(await music({ seconds: seconds * recordingFactor }), join(folder, 'recording.wav'));
}
await mkdir(join(folder, 'segments'));
const stack = await TestStack.start({
  containers: count,
  containerEnvironment: { MEDIA_ROOT: folder, ENCODE_PARALLELISM: '1', JOB_TIMEOUT_SECONDS: '86400' },
  workerEnvironment: { MEDIA_ROOT: folder, SEGMENT_STORE_URL: `${pathToFileURL(join(folder, 'segments')).href}/` },
});
try {
  for (const [index, container] of stack.containers.entries()) await limit(container, index);
  for (const codec of codecs) await compare(stack, codec);
  reportModel(costs);
} finally {
  await stack.stop();
  if (cores < 1) for (const index of stack.containers.keys()) await rmdir(quotaFolder(index));
  await rm(folder, { recursive: true });
}
