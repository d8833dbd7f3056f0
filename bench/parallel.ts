/**
 * What do more cores gain? Pairs of runs have the same input: the container's encode, and one plain ffmpeg with the
 * same arguments. `npm run bench:parallel -- [seconds] [rounds]`, 3600 and 3 by default.
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
import { encoded, music, speech } from '../test/engine/sound/segmented/inputs.ts';
import { jobIn, limits as testLimits } from '../test/engine/sound/segmented/support.ts';
import { run } from '../test/support/process.ts';
import { type Cost, costInFolder } from './cost.ts';
import { inUnit, ratios, report } from './report.ts';

const [seconds = 3600, rounds = 3] = process.argv.slice(2).map(Number);
const cores = availableParallelism();
const { signal } = new AbortController();
const counters = createSegmentedCounters();
const limits = { ...testLimits, maxOutputBytes: 32 * 1024 ** 3, maxCpuSeconds: 24 * 3600 };

interface Case {
  name: string;
  input: () => Promise<string>;
  format: string;
}

const wavOfMusic = () => music({ seconds });
const wavOfSpeech = () => speech({ seconds });
const encodedMusic = async (ending: string, options: string[] = []) =>
  await encoded(await wavOfMusic(), `bench-${seconds}s.${ending}`, options);
const cases: Case[] = [
  { name: 'mp3 128k from WAV', input: wavOfMusic, format: 'mp3_128' },
  { name: 'mp3 128k from VBR mp3', input: () => encodedMusic('mp3', ['-q:a', '3']), format: 'mp3_128' },
  { name: 'mp3 128k from FLAC', input: () => encodedMusic('flac'), format: 'mp3_128' },
  { name: 'mp3 64k mono speech', input: wavOfSpeech, format: 'mp3_64' },
  { name: 'opus 24k speech', input: wavOfSpeech, format: 'opus_24' },
  { name: 'opus 96k music', input: wavOfMusic, format: 'opus_96' },
  { name: 'aac 128k music', input: wavOfMusic, format: 'aac_128' },
];

async function prepare(input: string, format: string) {
  const source = await openSource(input, limits, signal);
  return { source, plan: planOutput(settleFile({ format }), source) };
}

async function byPlainFfmpeg(input: string, format: string): Promise<Cost> {
  const { plan } = await prepare(input, format);
  return await costInFolder(async (folder) => {
    const options = ['-nostdin', '-v', 'error', '-y', '-i', input, ...encodeArguments(plan), join(folder, 'output')];
    const { code, output } = await run('ffmpeg', options);
    if (code !== 0) throw new Error(output);
  });
}

async function byContainer(input: string, format: string, processes: number): Promise<Cost> {
  return await costInFolder(async (folder) => {
    const { source, plan } = await prepare(input, format);
    const targets = [{ plan, path: join(folder, 'output') }];
    await encodeOutputs(source, targets, { ...limits, encodeParallelism: processes }, counters, jobIn(folder));
  });
}

/** Cuts the input like a machine with this number of cores, on the cores that exist. */
async function inSegments(input: string, format: string, processes: number): Promise<{ cost: Cost; segments: number }> {
  const { source, plan } = await prepare(input, format);
  const encodePlan = await planEncode(source, [plan], processes);
  if (encodePlan.kind === 'single') return { cost: await byContainer(input, format, 1), segments: 1 };
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

for (const { name, input, format } of cases) {
  const path = await input();
  const [plain, container]: [Cost[], Cost[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    plain.push(await byPlainFfmpeg(path, format));
    container.push(await byContainer(path, format, cores));
  }
  report('parallel', name, ratios(container, plain));
}

for (const short of [1, 5, 15, 30, 60]) {
  const path = await music({ seconds: short });
  const [single, withCores]: [Cost[], Cost[]] = [[], []];
  for (let pair = 0; pair < 9; pair += 1) {
    single.push(await byContainer(path, 'mp3_128', 1));
    withCores.push(await byContainer(path, 'mp3_128', cores));
  }
  report('parallel-short', `${short} s`, { time: ratios(withCores, single, 'one core').time });
}

// The CPU over all cores predicts the time on more cores than there are here.
const path = await wavOfMusic();
const plain = await byPlainFfmpeg(path, 'mp3_128');
for (const processes of [1, 2, 4, 8]) {
  const { cost: spent, segments } = await inSegments(path, 'mp3_128', processes);
  const { time, CPU } = ratios([spent], [plain]);
  const predicted = inUnit('ratio', ...CPU.values.map((value) => value / processes));
  report('parallel-cores', `${processes} cores`, { segments: inUnit('count', segments), time, CPU, predicted });
}
