/**
 * What do viewers of the page cost an encode on the same two cores? The same encode runs without a viewer and with 500
 * at the event stream, in turns. Other runs begin and end all the while, so that there are events. The viewers use
 * these cores too; their time is reported beside the server's. `npm run bench:server-viewers -- [viewers] [rounds]`.
 */
import { link } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { longWav, musicOgg } from '../test/support/media.ts';
import { startNode, type TestProcess } from '../test/support/process.ts';
import { TestServer } from '../test/support/server.ts';
import { TestStack } from '../test/support/stack.ts';
import { cpuSecondsOf } from './cost.ts';
import { peakMebibytes } from './process-memory.ts';
import { inUnit, ratio, report } from './report.ts';

const viewers = Number(process.argv[2] ?? 500);
const rounds = Number(process.argv[3] ?? 5);
/** Seconds of audio. */
const inputSeconds = 1800;
/** Interval between the starts of the other runs. */
const otherEveryMs = 500;
/** The server keeps asking Temporal for half a minute after the last viewer. */
const forgottenMs = 31_000;

const stack = await TestStack.start();
const server = await TestServer.start({ TEMPORAL_ADDRESS: stack.temporal.address });
const { container } = stack;
await link(
  await longWav({ seconds: inputSeconds, channels: 2, source: musicOgg }),
  join(container.mediaRoot, 'in.wav'),
);

async function encode(): Promise<void> {
  const uploadUrl = container.fileUrl('out.mp3');
  const handle = await stack.run('encode', {
    sourceUrl: container.fileUrl('in.wav'),
    outputs: [{ format: 'mp3_128', uploadUrl }],
  });
  await handle.result();
}

/** Starts runs that end as soon as a worker sees their empty input. */
async function startOthers(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await stack.run('encode', { sourceUrl: container.fileUrl('in.wav'), outputs: [] });
    await delay(otherEveryMs, undefined, { signal }).catch(() => undefined);
  }
}

interface Round {
  seconds: number;
  serverCpuSeconds: number;
  viewersCpuSeconds: number;
}

async function measure(watching?: TestProcess): Promise<Round> {
  const cpu = () => [cpuSecondsOf(server.process.pid), watching === undefined ? 0 : cpuSecondsOf(watching.pid)];
  const before = cpu();
  const stop = new AbortController();
  const others = startOthers(stop.signal);
  const startMs = performance.now();
  await encode();
  const seconds = (performance.now() - startMs) / 1000;
  const [serverCpuSeconds = 0, viewersCpuSeconds = 0] = cpu().map((value, index) => value - (before[index] ?? 0));
  stop.abort();
  await others;
  return { seconds, serverCpuSeconds, viewersCpuSeconds };
}

try {
  // The first encode pays for cold caches.
  await encode();
  const [free, busy]: [Round[], Round[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    if (round > 0) await delay(forgottenMs);
    free.push(await measure());
    const watching = startNode('bench/event-viewers.ts', { EVENTS_URL: server.url, VIEWERS: String(viewers) });
    await watching.untilLogged('connected');
    busy.push(await measure(watching));
    await watching.stop('SIGTERM');
    const { bytes, events } = await watching.untilLogged('left');
    console.log(
      `  each viewer had ${Math.round(Number(events) / viewers)} events, all ${(Number(bytes) / 1e6).toFixed(1)} MB`,
    );
  }
  const secondsOf = (all: readonly Round[]): number[] => all.map(({ seconds }) => seconds);
  report('server-viewers', `${viewers} viewers`, {
    time: ratio(secondsOf(busy), secondsOf(free), 'an encode without viewers'),
    "server's share of a core": inUnit('%', ...busy.map(({ seconds, serverCpuSeconds: cpu }) => (100 * cpu) / seconds)),
    "viewers' share": inUnit('%', ...busy.map(({ seconds, viewersCpuSeconds: cpu }) => (100 * cpu) / seconds)),
    "server's memory": inUnit('MiB', peakMebibytes(server.process.pid)),
  });
} finally {
  await server.stop();
  await stack.stop();
}
