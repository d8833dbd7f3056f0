/**
 * How close are the estimates before a run? Encodes of varied recordings and films run in a random order. The bench
 * estimates each run from the runs before it, and compares the estimate with the run's usage.
 * `npm run bench:estimate -- [runs] [seed]`, 120 and 1 by default.
 */
import { copyFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PastRuns } from '../client/estimates/past-runs.ts';
import { inspectSource } from '../cli/run/inspect-source.ts';
import { listRunsPage } from '../client/runs-page.ts';
import { readUsage } from '../client/run-usage.ts';
import { estimatedSourceOf } from '../contract/estimated-source.ts';
import { EstimateRequest } from '../contract/server/estimate.ts';
import { defaultTaskQueue } from '../contract/task-queues.ts';
import type { RunUsage } from '../contract/usage.ts';
import { makeOnce, musicOgg, speechWav } from '../test/support/media.ts';
import { randomNumbers } from '../test/support/random.ts';
import { TestStack } from '../test/support/stack.ts';
import { inUnit, report } from './report.ts';

const [runs, seed] = [Number(process.argv[2] ?? 120), Number(process.argv[3] ?? 1)];
const allowed = 0.15;
const prices = { currency: 'USD', perCpuHour: 0.04, perGbIn: undefined, perGbOut: 0.09 };

const random = randomNumbers(seed);
/** Short lengths are as frequent as long ones. */
const between = (least: number, most: number): number => Math.round(least * (most / least) ** random());
const oneOf = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(random() * items.length)];

interface Kind {
  name: string;
  outputs: object[];
  /** Makes a source; the estimate knows nothing but its facts. */
  source(): Promise<string>;
}

/** A part of a recording, which is repeated up to a length of 20 s to 20 min. */
async function recording(of: string, ending: string, ...codec: string[]): Promise<string> {
  const [seconds, start] = [between(20, 1200), between(1, 10)];
  const name = `estimate-${of === musicOgg ? 'music' : 'speech'}-${start}-${seconds}.${ending}`;
  return await makeOnce(name, ['-stream_loop', '-1', '-ss', `${start}`, '-i', of, '-t', `${seconds}`, ...codec]);
}

/** Scenes of different detail and motion. */
const scenes: ((size: string) => string)[] = [
  (size) => `testsrc2=s=${size}:r=25,hue=h=20*t`,
  (size) => `testsrc2=s=${size}:r=25,noise=alls=8:allf=t`,
  (size) => `mandelbrot=s=${size}:r=25:start_scale=${between(1, 3)}`,
  (size) => `gradients=s=${size}:r=25:speed=0.05:seed=${between(1, 1000)}`,
  (size) => `life=s=${size}:r=25:mold=10:ratio=0.2:seed=${between(1, 1000)}:death_color=#224466:life_color=#ffffff`,
];

/** A film of 4 to 30 s. */
async function film(size: string): Promise<string> {
  const seconds = between(4, 30);
  const pictures = oneOf(scenes)?.(size) ?? '';
  const name = `estimate-${pictures.replaceAll(/[^a-z0-9]+/gi, '-')}-${seconds}.mp4`;
  return await makeOnce(name, [
    ...['-f', 'lavfi', '-i', pictures, '-stream_loop', '-1', '-i', musicOgg, '-t', `${seconds}`, '-c:a', 'aac'],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '18', '-pix_fmt', 'yuv420p'],
  ]);
}

const kinds: Kind[] = [
  { name: 'speech to mp3_128', outputs: [{ format: 'mp3_128' }], source: async () => recording(speechWav, 'wav') },
  {
    name: 'music to podcast-mp3-stereo',
    outputs: [{ preset: 'podcast-mp3-stereo' }],
    source: async () => recording(musicOgg, 'mp3', '-b:a', '192k'),
  },
  {
    name: 'music to opus_96 and aac_128',
    outputs: [{ format: 'opus_96' }, { format: 'aac_128' }],
    source: async () => recording(musicOgg, 'flac'),
  },
  { name: 'speech to flac', outputs: [{ format: 'flac' }], source: async () => recording(speechWav, 'wav') },
  {
    name: 'film of 360p to proxy-360',
    outputs: [{ preset: 'proxy-360' }],
    source: async () => film('640x360'),
  },
  {
    name: 'film of 720p to web-h264-480',
    outputs: [{ preset: 'web-h264-480' }],
    source: async () => film('1280x720'),
  },
];

type Share = Partial<Record<'time' | 'processor' | 'size' | 'cost', number>>;

const stack = await TestStack.start();
const results: { kind: string; basedOn: number; off: Share }[] = [];
try {
  const { client, container } = stack;
  const past = new PastRuns(client, defaultTaskQueue);
  for (let index = 0; index < runs; index += 1) {
    const kind = oneOf(kinds);
    if (kind === undefined) continue;
    const made = await kind.source();
    const name = `in-${index}.${made.split('.').at(-1)}`;
    const path = join(container.mediaRoot, name);
    await copyFile(made, path);
    const sourceUrl = container.fileUrl(name);
    const never = new AbortController().signal;
    const facts = await inspectSource(client, defaultTaskQueue, sourceUrl, never);
    const source = estimatedSourceOf(facts, (await stat(path)).size);
    const request = EstimateRequest.parse({ source, outputs: kind.outputs });
    const estimate = await past.estimate(request, undefined, prices);

    const outputs = kind.outputs.map((output, at) => ({
      ...output,
      uploadUrl: container.fileUrl(`out-${index}-${at}`),
    }));
    const handle = await stack.run('encode', { sourceUrl, outputs });
    await handle.result();
    const used = await usageOf(handle.workflowId);
    const costOfRun = (used.cpuSeconds ?? 0) * (prices.perCpuHour / 3600) + (used.bytesOut / 1e9) * prices.perGbOut;
    const off: Share = {};
    if (estimate.runs > 0) {
      const size = (estimate.sizes ?? []).reduce((sum, bytes) => sum + bytes, 0);
      off.time = (estimate.seconds ?? 0) / used.seconds - 1;
      off.processor = (estimate.cpuSeconds ?? 0) / (used.cpuSeconds ?? 0) - 1;
      off.size = size / used.bytesOut - 1;
      off.cost = (estimate.cost ?? 0) / costOfRun - 1;
    }
    results.push({ kind: kind.name, basedOn: estimate.runs, off });
    const shown = Object.entries(off).map(([what, share]) => `${what} ${signed(share)}`);
    console.log(
      `${index + 1}: ${kind.name}, ${source.duration.toFixed(0)} s, ${used.seconds.toFixed(2)} s of work, from ${estimate.runs}: ${shown.join(', ') || 'no estimate'}`,
    );
    await rm(path);
    for (const at of outputs.keys()) await rm(join(container.mediaRoot, `out-${index}-${at}`));
  }
  const isFirst = ({ basedOn }: (typeof results)[number]): boolean => basedOn === 0;
  console.log(`\n${results.length} runs, ${results.filter(isFirst).length} of them without a past run of their kind.`);
  console.log(`Share within ${allowed * 100} %, of those with an estimate:`);
  for (const { name } of kinds) reportNear(name, ({ kind, basedOn }) => kind === name && basedOn > 0);
  reportNear('all', ({ basedOn }) => basedOn > 0);
  reportNear('all, from 3 or more runs', ({ basedOn }) => basedOn >= 3);
} finally {
  await stack.stop();
}

function reportNear(title: string, isCounted: (result: (typeof results)[number]) => boolean): void {
  const counted = results.filter(isCounted);
  const shareOf = (what: keyof Share) => {
    const near = counted.filter(({ off }) => Math.abs(off[what] ?? Infinity) <= allowed);
    return inUnit('%', (100 * near.length) / counted.length);
  };
  if (counted.length === 0) return;
  report('estimates', `${title}, ${counted.length} runs`, {
    size: shareOf('size'),
    cost: shareOf('cost'),
    CPU: shareOf('processor'),
    time: shareOf('time'),
  });
}

function signed(share: number): string {
  return `${share < 0 ? '' : '+'}${(100 * share).toFixed(1)} %`;
}

/** The usage from the list, which lags behind the run's end. */
async function usageOf(workflowId: string): Promise<RunUsage> {
  return await stack.worker.until(`the usage of ${workflowId}`, async () => {
    const page = { taskQueue: defaultTaskQueue, state: 'succeeded', words: workflowId, limit: 1 } as const;
    const [record] = (await listRunsPage(stack.client, page)).runs;
    return record !== undefined && ((await readUsage(stack.client, record)) ?? false);
  });
}
