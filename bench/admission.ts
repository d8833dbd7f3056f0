/**
 * How fast does a busy container refuse? A thousand requests arrive at once while it encodes. Exactly one is admitted;
 * the bench reports percentiles of the time to each answer, and then what refusals cost a running encode (refusals.ts).
 */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { TestContainer } from '../test/support/container.ts';
import { longWav, musicOgg } from '../test/support/media.ts';
import { median } from './median.ts';
import { percentile } from './percentile.ts';
import { inUnit, report } from './report.ts';

const requests = 1000;

const container = await TestContainer.start();
const dispatcher = new Agent({ connections: requests });
try {
  await copyFile(await longWav({ seconds: 900, channels: 2, source: musicOgg }), join(container.mediaRoot, 'in.wav'));
  const body = JSON.stringify({
    sourceUrl: container.fileUrl('in.wav'),
    outputs: [{ format: 'aac_128', uploadUrl: container.fileUrl('out.m4a') }],
  });
  const ask = async (): Promise<{ status: number; ms: number }> => {
    const startMs = performance.now();
    const answer = await request(`${container.url}/encode`, {
      method: 'POST',
      dispatcher,
      headers: { 'content-type': 'application/json', prefer: 'respond-async' },
      body,
    });
    await answer.body.dump();
    return { status: answer.statusCode, ms: performance.now() - startMs };
  };
  const atOnce = await Promise.all(Array.from({ length: requests }, ask));
  const count = (status: number) => atOnce.filter((answer) => answer.status === status).length;
  const times = atOnce.map(({ ms }) => ms);
  report('admission-at-once', `${requests} requests`, {
    admitted: inUnit('count', count(202)),
    'answered 429': inUnit('count', count(429)),
    median: inUnit('ms', median(times)),
    '99th percentile': inUnit('ms', percentile(times, 0.99)),
    worst: inUnit('ms', percentile(times, 1)),
  });
} finally {
  await dispatcher.destroy();
  await container.stop();
}

await import('./refusals.ts');
