/**
 * What do refusals cost while the container encodes on every core? An encode runs alone, then one of the same source
 * with 100 requests a second; several rounds even out other work on the machine. The bench reports the time to each 429,
 * the slowdown of the encode, the container's processor time for one refusal, and its share of all cores. The client runs
 * on the same cores and takes a share as well.
 */
import { copyFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { TestContainer } from '../test/support/container.ts';
import { longWav, musicOgg } from '../test/support/media.ts';
import { ownCpuSecondsOf } from './cost.ts';
import { percentile } from './percentile.ts';
import { compare, inUnit, report } from './report.ts';

const requestsPerSecond = 100;
const rounds = Number(process.argv[2] ?? 3);
/** Seconds of audio: about a minute of work for two cores. */
const sourceSeconds = Number(process.argv[3] ?? 2700);

const container = await TestContainer.start();
const dispatcher = new Agent({ connections: 100 });

const body = JSON.stringify({
  sourceUrl: container.fileUrl('in.wav'),
  outputs: ['aac_128', 'opus_64'].map((format) => ({ format, uploadUrl: container.fileUrl(`out/${format}`) })),
});

async function refusedAfterMs(): Promise<number> {
  const startMs = performance.now();
  const answer = await request(`${container.url}/encode`, {
    method: 'POST',
    dispatcher,
    headers: { 'content-type': 'application/json', prefer: 'respond-async' },
    body,
  });
  const { jobId } = (await answer.body.json()) as { jobId?: string };
  if (answer.statusCode === 429) return performance.now() - startMs;
  // The request arrived just after the encode had ended and was admitted.
  await container.call('DELETE', `/jobs/${jobId}`);
  return Number.NaN;
}

interface Round {
  seconds: number;
  /** CPU seconds of the container's own process, without its ffmpeg. */
  cpu: number;
  /** CPU seconds of this process, which sends the requests. */
  client: number;
  refusalsMs: number[];
}

async function runEncode(perSecond: number): Promise<Round> {
  const cpuBefore = ownCpuSecondsOf(container.process.pid);
  const clientBefore = ownCpuSecondsOf('self');
  const startMs = performance.now();
  const jobId = await container.submit('/encode', JSON.parse(body));
  const ended = container.process.until(
    'end of the job',
    async () => (await container.job(jobId)).state !== 'running' && performance.now(),
    600_000,
  );
  const over = new AbortController();
  void ended.then(() => over.abort());
  const refusals: Promise<number>[] = [];
  // Requests are sent on schedule, whether or not earlier ones have been answered.
  while (!over.signal.aborted) {
    const due = ((performance.now() - startMs) / 1000) * perSecond;
    while (refusals.length < due && !over.signal.aborted) refusals.push(refusedAfterMs());
    await delay(10);
  }
  const endMs = await ended;
  const refusalsMs = (await Promise.all(refusals)).filter(Number.isFinite);
  const cpu = ownCpuSecondsOf(container.process.pid) - cpuBefore;
  const client = ownCpuSecondsOf('self') - clientBefore;
  return { seconds: (endMs - startMs) / 1000, cpu, client, refusalsMs };
}

try {
  await copyFile(
    await longWav({ seconds: sourceSeconds, channels: 2, source: musicOgg }),
    join(container.mediaRoot, 'in.wav'),
  );
  const rows: { quiet: Round; asked: Round }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    rows.push({ quiet: await runEncode(0), asked: await runEncode(requestsPerSecond) });
  }
  const ofRefusals = (share: number): number[] => rows.map(({ asked }) => percentile(asked.refusalsMs, share));
  const [asked, alone] = [rows.map((row) => row.asked.seconds), rows.map(({ quiet }) => quiet.seconds)];
  const shareOfCores = (cpu: 'cpu' | 'client'): number[] =>
    rows.map((row) => ((row.asked[cpu] - row.quiet[cpu]) / row.asked.seconds / availableParallelism()) * 100);
  report('admission', `${requestsPerSecond} refusals a second`, {
    median: inUnit('ms', ...ofRefusals(0.5)),
    '99th percentile': inUnit('ms', ...ofRefusals(0.99)),
    CPU: inUnit('ms', ...rows.map((row) => ((row.asked.cpu - row.quiet.cpu) / row.asked.refusalsMs.length) * 1000)),
    'of the cores': inUnit('%', ...shareOfCores('cpu')),
    'the client, of the cores': inUnit('%', ...shareOfCores('client')),
    'the encode takes more': compare('%', asked, alone, (own, other) => (own / other - 1) * 100, 'the encode alone'),
  });
} finally {
  await dispatcher.destroy();
  await container.stop();
}
