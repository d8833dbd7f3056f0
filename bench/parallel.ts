/**
 * What do more cores gain? Each round has three sides with the same input: the container's encode and check, one plain ffmpeg
 * with the same arguments, and such an ffmpeg for each half of the input, side by side. `npm run bench:parallel -- [seconds]
 * [rounds] [table, or part of a name …]`, 3600, 3 and all by default.
 */
import { settleFile } from '../test/support/settled-outputs.ts';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { encodeOutputs } from '../engine/sound/encode-outputs.ts';
import { encodeArguments } from '../engine/sound/arguments.ts';
import { planOutput } from '../engine/products/file/plan-output.ts';
import { openSource } from '../engine/source/source.ts';
import { createSegmentedCounters } from '../engine/sound/segmented/counters.ts';
import { planEncode } from '../engine/sound/segmented/plan-encode.ts';
import { encodeInSegments } from '../engine/sound/segmented/run.ts';
import type { DescribedOutput } from '../contract/http/output.ts';
import { makeOnce } from '../test/support/media.ts';
import { encoded, music, speech } from '../test/engine/sound/segmented/inputs.ts';
import { jobIn, limits as testLimits } from '../test/engine/sound/segmented/support.ts';
import { ffmpegAlike } from './plain-ffmpeg.ts';
import { verifyOutput } from '../engine/verify/verify.ts';
import { type Cost, costInFolder } from './cost.ts';
import { inUnit, ratio, ratios, report } from './report.ts';

const [seconds = 3600, rounds = 3] = process.argv.slice(2, 4).map(Number);
const wantedNames = process.argv.slice(4);
const cores = availableParallelism();
const { signal } = new AbortController();
const counters = createSegmentedCounters();
const limits = { ...testLimits, maxOutputBytes: 32 * 1024 ** 3, maxCpuSeconds: 24 * 3600 };

interface Case {
  name: string;
  input: () => Promise<string>;
  output: DescribedOutput;
  /** Table of the codecs that are the hardest to divide. */
  table?: 'parallel-others';
}

const wavOfMusic = () => music({ seconds });
const wavOfSpeech = () => speech({ seconds });
const encodedMusic = async (ending: string, options: string[] = []) =>
  await encoded(await wavOfMusic(), `bench-${seconds}s.${ending}`, options);
/** Six channels that differ: music at two places and in both phases. */
async function surroundOfMusic(): Promise<string> {
  const channels = 'FL=FL|FR=FR|FC=0.5*FL+0.5*FR|LFE=0.3*FL|BL=FL-0.5*FR|BR=FR-0.5*FL';
  return await makeOnce(`bench-5.1-${seconds}s.wav`, [
    ...['-i', await wavOfMusic(), '-af', `pan=5.1|${channels}`],
    ...['-rf64', 'auto'],
  ]);
}

const others = { table: 'parallel-others' as const };
const cases: Case[] = [
  { name: 'mp3 128k from WAV', input: wavOfMusic, output: { format: 'mp3_128' } },
  { name: 'mp3 128k from VBR mp3', input: () => encodedMusic('mp3', ['-q:a', '3']), output: { format: 'mp3_128' } },
  { name: 'mp3 128k from FLAC', input: () => encodedMusic('flac'), output: { format: 'mp3_128' } },
  { name: 'mp3 64k mono speech', input: wavOfSpeech, output: { format: 'mp3_64' } },
  { name: 'opus 24k speech', input: wavOfSpeech, output: { format: 'opus_24' } },
  { name: 'opus 96k music', input: wavOfMusic, output: { format: 'opus_96' } },
  { name: 'aac 128k music', input: wavOfMusic, output: { format: 'aac_128' } },
  { name: 'vorbis 128k music', input: wavOfMusic, output: { format: 'vorbis_128' } },
  {
    ...others,
    name: 'VBR mp3, quality 2',
    input: wavOfMusic,
    output: { container: 'mp3', audio: { codec: 'mp3', quality: 2 } },
  },
  { ...others, name: 'FLAC', input: wavOfMusic, output: { format: 'flac' } },
  {
    ...others,
    name: '24-bit WAV',
    input: wavOfMusic,
    output: { container: 'wav', audio: { codec: 'pcm', bitDepth: 24 } },
  },
  { ...others, name: '5.1 to AAC 384k', input: surroundOfMusic, output: { format: 'aac_384' } },
  { ...others, name: '5.1 to Opus 256k', input: surroundOfMusic, output: { format: 'opus_256' } },
];

async function prepare(input: string, output: DescribedOutput) {
  const source = await openSource(input, limits, signal);
  return { source, plan: planOutput(settleFile(output), source) };
}

/** Encodes by one ffmpeg for each part of the input, all at once. */
async function byPlainFfmpeg(input: string, described: DescribedOutput, parts = 1): Promise<Cost> {
  const { source, plan } = await prepare(input, described);
  const partSeconds = (source.estimatedSeconds ?? seconds) / parts;
  return await costInFolder(async (folder) => {
    const encodes = Array.from({ length: parts }, async (_, part) => {
      const place = parts === 1 ? [] : ['-ss', String(part * partSeconds), '-t', String(partSeconds)];
      await ffmpegAlike([...place, '-i', input, ...encodeArguments(plan), join(folder, `output-${part}`)]);
    });
    await Promise.all(encodes);
  });
}

async function byContainer(input: string, output: DescribedOutput, processes: number): Promise<Cost> {
  return await costInFolder(async (folder) => {
    const { source, plan } = await prepare(input, output);
    const [target, job] = [{ plan, path: join(folder, 'output') }, jobIn(folder)];
    const ofJob = { ...limits, encodeParallelism: processes };
    for (const { streams } of await encodeOutputs(source, [target], ofJob, counters, job)) {
      await verifyOutput(target.path, plan, streams, { ...job, limits: ofJob, advance: () => {} });
    }
  });
}

/** Cuts the input like a machine with this number of cores, on the cores that exist. */
async function inSegments(
  input: string,
  output: DescribedOutput,
  processes: number,
): Promise<{ cost: Cost; segments: number }> {
  const { source, plan } = await prepare(input, output);
  const encodePlan = await planEncode(source, [plan], processes);
  if (encodePlan.kind === 'single') return { cost: await byContainer(input, output, 1), segments: 1 };
  const split = encodePlan.splits[0];
  const measured = await costInFolder((folder) =>
    encodeInSegments(
      source.path,
      [{ plan, path: join(folder, 'output') }],
      encodePlan,
      { ...limits, encodeParallelism: Math.min(cores, processes) },
      jobIn(folder),
    ),
  );
  return { cost: measured, segments: split?.kind === 'split' ? split.segments.length : 1 };
}

const isWanted = (table: string, name = ''): boolean =>
  wantedNames.length === 0 || wantedNames.some((wanted) => wanted === table || name.includes(wanted));

const wall = (costs: readonly Cost[]): number[] => costs.map(({ wallSeconds }) => wallSeconds);

for (const { name, input, output, table = 'parallel' } of cases) {
  if (!isWanted(table, name)) continue;
  const path = await input();
  const [plain, halves, container]: [Cost[], Cost[], Cost[]] = [[], [], []];
  for (let round = 0; round < rounds; round += 1) {
    plain.push(await byPlainFfmpeg(path, output));
    container.push(await byContainer(path, output, cores));
    halves.push(await byPlainFfmpeg(path, output, 2));
  }
  const ofHalves = ratio(wall(container), wall(halves), 'two halves');
  report(table, name, { ...ratios(container, plain), 'beside two halves': ofHalves });
}

const mp3 = { format: 'mp3_128' };
if (isWanted('parallel-short')) {
  for (const short of [1, 5, 15, 30, 60]) {
    const path = await music({ seconds: short });
    const [single, withCores]: [Cost[], Cost[]] = [[], []];
    for (let pair = 0; pair < 9; pair += 1) {
      single.push(await byContainer(path, mp3, 1));
      withCores.push(await byContainer(path, mp3, cores));
    }
    report('parallel-short', `${short} s`, { time: ratios(withCores, single, 'one core').time });
  }
}

// The CPU over all cores predicts the time on more cores than there are here.
if (isWanted('parallel-cores')) {
  const path = await wavOfMusic();
  const plain = await byPlainFfmpeg(path, mp3);
  for (const processes of [1, 2, 4, 8]) {
    const { cost: spent, segments } = await inSegments(path, mp3, processes);
    const { time, CPU } = ratios([spent], [plain]);
    const predicted = inUnit('ratio', ...CPU.values.map((value) => value / processes));
    report('parallel-cores', `${processes} cores`, { segments: inUnit('count', segments), time, CPU, predicted });
  }
}
