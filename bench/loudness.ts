/**
 * What does a loudness target cost? Compares the container's encode to -16 LUFS and -1 dBTP with plain ffmpeg's
 * two-pass `loudnorm` and the same encode, pass by pass. `npm run bench:loudness -- [seconds] [rounds]`, 600 and 3 by
 * default.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { encodeArguments } from '../engine/sound/arguments.ts';
import { levelFilters } from '../engine/sound/loudness/level-filter.ts';
import { encodeAtLoudness } from '../engine/sound/loudness/encode-at-loudness.ts';
import { planOutput } from '../engine/products/file/plan-output.ts';
import { createSegmentedCounters } from '../engine/sound/segmented/counters.ts';
import { openSource } from '../engine/source/source.ts';
import { namedLoudness } from '../contract/loudness.ts';
import { makeOnce } from '../test/support/media.ts';
import { music, speech } from '../test/engine/sound/segmented/inputs.ts';
import { meterOf } from '../test/media/meter.ts';
import { jobIn, limits as testLimits } from '../test/engine/sound/segmented/support.ts';
import { run } from '../test/support/process.ts';
import { type Cost, costInFolder, cpuSeconds } from './cost.ts';
import { settleFile } from '../test/support/settled-outputs.ts';
import { inUnit, ratios, report } from './report.ts';

const [seconds = 600, rounds = 3] = process.argv.slice(2).map(Number);
const target = namedLoudness.podcast;
const { signal } = new AbortController();
const limits = {
  ...testLimits,
  maxOutputBytes: 32 * 1024 ** 3,
  maxCpuSeconds: 24 * 3600,
  encodeParallelism: availableParallelism(),
};

/** Two speakers 14 dB apart, which give a limiter much to do. */
async function makeTalk(): Promise<string> {
  const input = await speech({ seconds, channels: 2, sampleRate: 44_100 });
  const turns = "volume=eval=frame:volume='if(lt(mod(t,8),4),1,0.2)'";
  return await makeOnce(`bench-talk-${seconds}s.wav`, ['-i', input, '-af', turns]);
}

/** Quiet music whose peaks stay below the ceiling. */
async function makeQuietMusic(): Promise<string> {
  const input = await music({ seconds });
  return await makeOnce(`bench-quiet-music-${seconds}s.wav`, ['-i', input, '-af', 'volume=-12dB']);
}

const cases = [
  { name: 'mp3 128k, talk', input: makeTalk, format: 'mp3_128' },
  { name: 'mp3 128k, quiet music', input: makeQuietMusic, format: 'mp3_128' },
  { name: 'aac 96k, talk', input: makeTalk, format: 'aac_96' },
  { name: 'opus 64k, quiet music', input: makeQuietMusic, format: 'opus_64' },
  { name: 'wav, talk', input: makeTalk, format: 'wav' },
];

interface Passes {
  total: Cost;
  /** CPU seconds of each pass in order */
  passes: (readonly [pass: string, cpu: number])[];
  /** LUFS */
  loudness: number;
}

async function ffmpeg(...options: readonly string[]): Promise<string> {
  const { code, output } = await run('ffmpeg', ['-nostdin', '-hide_banner', '-nostats', '-y', ...options]);
  if (code !== 0) throw new Error(output);
  return output;
}

async function prepare(input: string, format: string) {
  const source = await openSource(input, limits, signal);
  return { source, plan: planOutput(settleFile({ format, loudness: 'podcast' }), source) };
}

/**
 * Two passes as https://ffmpeg.org/ffmpeg-filters.html#loudnorm describes; the filter raises the sample rate, so the
 * original one is restored.
 */
async function byLoudnorm(input: string, format: string): Promise<Passes> {
  const { plan } = await prepare(input, format);
  const passes: Passes['passes'] = [];
  let [result, loudness] = ['', Number.NaN];
  const total = await costInFolder(
    async (folder) => {
      const wanted = `loudnorm=I=${target.integrated}:TP=${target.truePeak}:LRA=11`;
      const start = cpuSeconds();
      const said = await ffmpeg('-i', input, '-af', `${wanted}:print_format=json`, '-f', 'null', '-');
      const measured = JSON.parse(said.slice(said.lastIndexOf('{'), said.lastIndexOf('}') + 1)) as Record<
        string,
        string
      >;
      const between = cpuSeconds();
      const { input_i, input_tp, input_lra, input_thresh, target_offset } = measured;
      const known = `measured_I=${input_i}:measured_TP=${input_tp}:measured_LRA=${input_lra}:measured_thresh=${input_thresh}`;
      const filters = `${wanted}:${known}:offset=${target_offset}:linear=true,aresample=${plan.audio?.sampleRate}`;
      const options = encodeArguments(plan);
      const before = options.indexOf('-af') + 1;
      const chain = options.with(before, `${filters},${options[before]}`);
      const path = join(folder, 'output');
      await ffmpeg('-i', input, ...chain, path);
      passes.push(['measure', between - start], ['encode', cpuSeconds() - between]);
      result = path;
    },
    async () => {
      loudness = (await meterOf(result)).integrated;
    },
  );
  return { total, passes, loudness };
}

async function byContainer(input: string, format: string): Promise<Passes> {
  const passes: [string, number][] = [];
  let [result, loudness] = ['', Number.NaN];
  let since = 0;
  const total = await costInFolder(
    async (folder) => {
      const { source, plan } = await prepare(input, format);
      const path = join(folder, 'output');
      since = cpuSeconds();
      const end = (): void => {
        const last = passes.at(-1);
        if (last !== undefined) last[1] = cpuSeconds() - since;
        since = cpuSeconds();
      };
      const advance = (phase: string): void => {
        if (passes.at(-1)?.[0] === phase) return;
        end();
        passes.push([phase, 0]);
      };
      const job = { ...jobIn(folder), advance };
      await encodeAtLoudness(source, [{ plan, path }], limits, createSegmentedCounters(), job);
      end();
      result = path;
    },
    async () => {
      loudness = (await meterOf(result)).integrated;
    },
  );
  return { total, passes, loudness };
}

/** CPU seconds of each pass, by its place in the order. */
const figuresOf = (side: string, all: readonly Passes[]) =>
  Object.fromEntries(
    (all[0]?.passes ?? []).map(([name], place) => [
      `${side}: ${name}${place > 1 ? ' again' : ''}`,
      inUnit('s', ...all.map(({ passes }) => passes[place]?.[1] ?? Number.NaN)),
    ]),
  );

/** dB by which a limiter that has nothing to limit lowers a tone. */
async function limiterLoss(frequency: number, sampleRate: number): Promise<number> {
  const tone = `aevalsrc='0.1*sin(2*PI*${frequency}*t)':s=${sampleRate}:d=2`;
  const filters = levelFilters({ gain: 0, ceiling: target.truePeak }, { sampleRate, channelLayouts: 'mono' });
  const meter = ['atrim=0.5:1.5', 'astats=measure_perchannel=none:measure_overall=RMS_level'];
  const graph = ['aformat=sample_fmts=flt', ...filters, ...meter].join();
  const said = await ffmpeg('-f', 'lavfi', '-i', tone, '-af', graph, '-f', 'null', '-');
  return 20 * Math.log10(0.1 / Math.SQRT2) - Number(/RMS level dB: (\S+)/.exec(said)?.[1]);
}

const sampleRate = 44_100;
for (const kilohertz of [19, 20, 21]) {
  const loss = inUnit('dB', await limiterLoss(1000 * kilohertz, sampleRate));
  report('loudness-limiter', `${kilohertz} kHz at 44.1 kHz`, { loss });
}

for (const { name, input, format } of cases) {
  const path = await input();
  const [plain, ours]: [Passes[], Passes[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    plain.push(await byLoudnorm(path, format));
    ours.push(await byContainer(path, format));
  }
  const [theirTotal, ourTotal] = [plain, ours].map((all) => all.map(({ total }) => total));
  report('loudness', name, {
    ...ratios(ourTotal ?? [], theirTotal ?? []),
    "`loudnorm`'s file": inUnit('LUFS', ...plain.map(({ loudness }) => loudness)),
    "container's file": inUnit('LUFS', ...ours.map(({ loudness }) => loudness)),
  });
  report('loudness-passes', name, { ...figuresOf('`loudnorm`', plain), ...figuresOf('container', ours) });
}
