/**
 * Where does a job's time go? Each job runs alone on one container, whose metrics tell how long each phase took.
 * `npm run bench:phases -- [rounds]`, 3 by default.
 */
import { link } from 'node:fs/promises';
import { join } from 'node:path';
import { request } from 'undici';
import { TestContainer } from '../test/support/container.ts';
import { longWav, musicOgg } from '../test/support/media.ts';
import type { DescribedOutput } from '../contract/http/output.ts';
import { makeClip } from './detailed-clip.ts';
import { encodePackage } from './package-job.ts';
import { inUnit, report } from './report.ts';

const rounds = Number(process.argv[2] ?? 3);
/** Seconds of a phase that is too short to matter, and has no column. */
const leastSeconds = 0.0005;

const container = await TestContainer.start();

/** Seconds of all jobs so far in each phase. */
async function readPhases(): Promise<Map<string, number>> {
  const text = await (await request(`${container.url}/metrics`)).body.text();
  const sums = text.matchAll(/^holdfast_job_phase_duration_seconds_sum\{kind="encode",phase="(\w+)"\} (\S+)$/gm);
  return new Map([...sums].map(([, phase = '', seconds]) => [phase, Number(seconds)]));
}

async function measure(name: string, encode: () => Promise<void>): Promise<void> {
  const phases = new Map<string, number[]>();
  for (let round = 0; round < rounds; round += 1) {
    const before = await readPhases();
    const startMs = performance.now();
    await encode();
    phases.set('all', [...(phases.get('all') ?? []), (performance.now() - startMs) / 1000]);
    for (const [phase, seconds] of await readPhases()) {
      phases.set(phase, [...(phases.get(phase) ?? []), seconds - (before.get(phase) ?? 0)]);
    }
  }
  const taken = [...phases].filter(([, seconds]) => Math.max(...seconds) > leastSeconds);
  report('phases', name, Object.fromEntries(taken.map(([phase, seconds]) => [phase, inUnit('s', ...seconds)])));
}

const soundOf = async (seconds: number): Promise<string> => await longWav({ seconds, channels: 2, source: musicOgg });

async function encode(name: string, output: DescribedOutput): Promise<void> {
  const outputs = [{ ...output, uploadUrl: container.fileUrl('made') }];
  const { body } = await container.call('POST', '/encode', { sourceUrl: container.fileUrl(name), outputs });
  if (body.success !== true) throw new Error(JSON.stringify(body));
}

try {
  const inputs = { clip: await soundOf(5), talk: await soundOf(240), film: await makeClip(30) };
  for (const [name, path] of Object.entries(inputs)) await link(path, join(container.mediaRoot, name));
  const mp3 = { format: 'mp3_128' };
  // The first job pays for cold caches.
  await encode('clip', mp3);
  await measure('5 s to mp3', () => encode('clip', mp3));
  await measure('240 s to mp3', () => encode('talk', mp3));
  const loudness = { integrated: -16, truePeak: -1 };
  await measure('240 s to mp3, -16 LUFS', () => encode('talk', { ...mp3, loudness }));
  await measure('30 s of 1080p to h264', () => encode('film', { container: 'mp4', video: { codec: 'h264' } }));
  const renditions = [1080, 720, 480, 360].map((height) => ({ height }));
  const package4: DescribedOutput = { package: ['hls', 'dash'], video: { codec: 'h264', speed: 'fast' }, renditions };
  await measure('30 s of 1080p, four sizes', () => encodePackage(container, container.fileUrl('film'), package4));
} finally {
  await container.stop();
}
