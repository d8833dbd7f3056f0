/**
 * How fast does a busy container refuse? A thousand requests arrive at once while it encodes. Exactly one is admitted;
 * the bench prints percentiles of the time to each answer, and then what refusals cost a running encode (refusals.ts).
 */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { TestContainer } from '../test/support/container.ts';
import { longWav, musicOgg } from '../test/support/media.ts';

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
  console.log(`${requests} requests at once: ${count(202)} admitted, ${count(429)} answered 429`);
  const times = atOnce.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const percentile = (share: number) => (times[Math.ceil(share * times.length) - 1] ?? Number.NaN).toFixed(0);
  console.log(
    `time to the answer: median ${percentile(0.5)} ms, 99th percentile ${percentile(0.99)} ms, worst ${percentile(1)} ms`,
  );
} finally {
  await dispatcher.destroy();
  await container.stop();
}

await import('./refusals.ts');
