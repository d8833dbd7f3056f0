import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MediaServer } from '../../fixtures/media-server.ts';
import { TestContainer } from '../../support/container.ts';
import { longWav, speechWav } from '../../support/media.ts';

let container: TestContainer;
let media: MediaServer;
beforeAll(async () => {
  media = await MediaServer.start();
  // Metrics ask for no token: whoever scrapes them has none.
  container = await TestContainer.start({ ENCODE_PARALLELISM: '2', CONTAINER_TOKEN: 'secret' });
});
afterAll(async () => {
  await container.stop();
  await media.stop();
});

const authorized = { authorization: 'Bearer secret' };

/** Of the lines that begin with `holdfast_`, without buckets and sums. */
async function metrics(): Promise<Record<string, number>> {
  const response = await fetch(`${container.url}/metrics`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const lines = (await response.text()).matchAll(/^(holdfast_\S+) (\S+)$/gm);
  const samples = [...lines].map(([, name = '', value]) => [name, Number(value)] as const);
  return Object.fromEntries(samples.filter(([name]) => !/_(?:bucket|sum)\b/.test(name)));
}

function encodeOf(sourceUrl: string) {
  return { sourceUrl, outputs: [{ format: 'mp3_64', uploadUrl: container.fileUrl('out.mp3') }] };
}

test('before the first job every count is 0', async () => {
  expect(await metrics()).toEqual({
    holdfast_active_jobs: 0,
    holdfast_slots: 1,
    holdfast_parallel_jobs_total: 0,
    holdfast_parallel_fallbacks_total: 0,
  });
});

test('the metrics count the jobs that hold a slot and the requests that were answered 429', async () => {
  const body = encodeOf(media.on('GET /never', () => {}));
  const jobId = await container.submit('/encode', body, authorized);
  for (const attempt of [1, 2]) {
    expect([attempt, (await container.call('POST', '/encode', body, authorized)).status]).toEqual([attempt, 429]);
  }
  const chunk = { sourceUrl: body.sourceUrl, chunks: [{ index: 0, uploadUrl: container.fileUrl('chunk.mp3') }] };
  expect((await container.call('POST', '/chunk', chunk, authorized)).status).toBe(429);
  expect(await metrics()).toMatchObject({
    holdfast_active_jobs: 1,
    'holdfast_busy_rejections_total{kind="encode"}': 2,
    'holdfast_busy_rejections_total{kind="chunk"}': 1,
  });
  await container.call('DELETE', `/jobs/${jobId}`, undefined, authorized);
  expect(await metrics()).toMatchObject({
    holdfast_active_jobs: 0,
    'holdfast_job_duration_seconds_count{kind="encode",state="cancelled"}': 1,
  });
});

test('the metrics count the jobs by kind and end, and those that were encoded in segments', async () => {
  await copyFile(speechWav, join(container.mediaRoot, 'speech.wav'));
  await copyFile(await longWav({ seconds: 90 }), join(container.mediaRoot, 'long.wav'));
  const speech = container.fileUrl('speech.wav');
  const encode = async (sourceUrl: string) =>
    (await container.call('POST', '/encode', encodeOf(sourceUrl), authorized)).status;
  expect(await encode(speech)).toBe(200);
  expect(await encode(container.fileUrl('long.wav'))).toBe(200);
  expect(await encode(container.fileUrl('nowhere.wav'))).toBe(404);
  const chunk = { sourceUrl: speech, chunks: [{ index: 0, uploadUrl: container.fileUrl('chunk.wav') }] };
  expect((await container.call('POST', '/chunk', chunk, authorized)).status).toBe(200);
  expect(await metrics()).toMatchObject({
    'holdfast_job_duration_seconds_count{kind="encode",state="succeeded"}': 2,
    'holdfast_job_duration_seconds_count{kind="encode",state="failed"}': 1,
    'holdfast_job_duration_seconds_count{kind="chunk",state="succeeded"}': 1,
    holdfast_parallel_jobs_total: 1,
    holdfast_parallel_fallbacks_total: 0,
  });
  // A scrape is no event.
  expect(await metrics()).toEqual(await metrics());
});
