import { copyFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MediaServer } from '../../fixtures/media-server.ts';
import { TestContainer } from '../../support/container.ts';
import { longWav, probeAudio, speechWav } from '../../support/media.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

const media = await stopAfterAll(MediaServer.start());
// Metrics need no token: scrapers have none.
const container = await stopAfterAll(TestContainer.start({ ENCODE_PARALLELISM: '2', CONTAINER_TOKEN: 'secret' }));

const memoryName = 'holdfast_ffmpeg_resident_memory_bytes';
const retriesName = 'holdfast_upload_retries_total';
const authorized = { authorization: 'Bearer secret' };

/** Samples of `holdfast_`, without buckets and sums. */
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

test('exports every series before its first event, so that a rate includes the first event', async () => {
  const before = await metrics();
  expect(before['holdfast_slots']).toBe(1);
  // Checks of ffmpeg are not jobs.
  const { holdfast_slots: _, holdfast_scratch_free_bytes: free, [memoryName]: __, ...others } = before;
  const events = Object.fromEntries(Object.entries(others).filter(([name]) => !name.startsWith('holdfast_build_info')));
  expect(free).toBeGreaterThan(1_000_000);
  expect(new Set(Object.values(events))).toEqual(new Set([0]));
  expect(Object.keys(events)).toEqual(
    expect.arrayContaining([
      'holdfast_job_duration_seconds_count{kind="encode",state="failed"}',
      'holdfast_job_phase_duration_seconds_count{kind="encode",phase="upload"}',
      'holdfast_job_failures_total{code="stalled"}',
      'holdfast_encoded_media_seconds_total{codec="hevc"}',
      'holdfast_encoded_media_seconds_total{codec="pcm_s24le"}',
      'holdfast_busy_rejections_total{kind="chunk"}',
      'holdfast_upload_retries_total',
    ]),
  );
});

test('counts jobs that hold a slot and requests answered with 429', async () => {
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
    'holdfast_job_failures_total{code="cancelled"}': 1,
  });
});

test('counts jobs by kind and end, and jobs encoded in segments', async () => {
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
    'holdfast_job_failures_total{code="source_not_found"}': 1,
    'holdfast_job_phase_duration_seconds_count{kind="encode",phase="encode"}': 2,
    'holdfast_job_phase_duration_seconds_count{kind="chunk",phase="chunk"}': 1,
  });
  const { size } = await stat(speechWav);
  const after = await metrics();
  expect(after['holdfast_encoded_media_seconds_total{codec="mp3"}']).toBeCloseTo(
    (await probeAudio(speechWav)).duration + 90,
    1,
  );
  expect(after['holdfast_downloaded_bytes_total']).toBeGreaterThan(2 * size);
  expect(after['holdfast_uploaded_bytes_total']).toBeGreaterThan(8_000 * 90);
  // A scrape is no event, and other processes use the disk.
  const { holdfast_scratch_free_bytes: _, [memoryName]: __, ...counted } = await metrics();
  expect(after).toMatchObject(counted);
});

test('exports the memory of ffmpeg while it runs', async () => {
  await copyFile(await longWav({ seconds: 600 }), join(container.mediaRoot, 'longer.wav'));
  // One process makes the outputs in turn, and runs long enough to be measured.
  const outputs = ['mp3_320', 'aac_128', 'opus_96', 'vorbis_64'].map((format) => ({
    ...{ format, uploadUrl: container.fileUrl(`longer-${format}`) },
  }));
  const body = { sourceUrl: container.fileUrl('longer.wav'), outputs, parallel: false };
  const jobId = await container.submit('/encode', body, authorized);
  await container.process.until('memory', async () => Number((await metrics())[memoryName]) > 2_000_000);
  await container.call('DELETE', `/jobs/${jobId}`, undefined, authorized);
  await container.process.until('its end', async () => (await metrics())[memoryName] === 0);
});

test('counts retried requests to a store', async () => {
  let answers = 0;
  const store = media.on('PUT /out.mp3', (request, response) => {
    request.resume().on('end', () => response.writeHead((answers += 1) === 1 ? 503 : 200).end());
  });
  const before = await metrics();
  const encode = { sourceUrl: container.fileUrl('speech.wav'), outputs: [{ format: 'mp3_64', uploadUrl: store }] };
  expect((await container.call('POST', '/encode', encode, authorized)).status).toBe(200);
  const after = await metrics();
  expect(Number(after[retriesName]) - Number(before[retriesName])).toBe(1);
});
