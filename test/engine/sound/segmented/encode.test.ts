import { createReadStream } from 'node:fs';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MediaServer } from '../../../fixtures/media-server.ts';
import { TestContainer } from '../../../support/container.ts';
import { ffmpegProcessesUnder } from '../../../support/ffmpeg-processes.ts';
import { rawSamplesOf } from '../../../support/media-files.ts';
import { encoded, music, speech } from './inputs.ts';
import { stopAfterAll, stopAfterTest } from '../../../support/stop-after-all.ts';

const container = await stopAfterAll(TestContainer.start({ ENCODE_PARALLELISM: '2' }));
await copyFile(await music({ seconds: 100 }), join(container.mediaRoot, 'music.wav'));
await copyFile(await music({ seconds: 600 }), join(container.mediaRoot, 'long.wav'));
await copyFile(await speech({ seconds: 30 }), join(container.mediaRoot, 'short.wav'));
await copyFile(
  await encoded(await music({ seconds: 600 }), 'music-600s.mp3', ['-q:a', '7']),
  join(container.mediaRoot, 'long.mp3'),
);

const request = (source: string, formats: string[], more: object = {}) => ({
  sourceUrl: container.fileUrl(source),
  outputs: formats.map((format) => ({ format, uploadUrl: container.fileUrl(`${source}-${format}`) })),
  ...more,
});

test('a long input is encoded in segments and the answer says so; "parallel": false yields the same mp3 by a single run', async () => {
  const inSegments = await container.call('POST', '/encode', request('music.wav', ['mp3_128', 'wav', 'opus_64']));
  expect(inSegments.status).toBe(200);
  expect(inSegments.body.outputs).toMatchObject([
    { format: 'mp3_128', segments: 2, seams: { exact: 1, matched: 0 } },
    { format: 'wav', segments: 1, seams: { exact: 0, matched: 0 } },
    { format: 'opus_64', segments: 2 },
  ]);
  const single = await container.call('POST', '/encode', request('music.wav', ['mp3_128'], { parallel: false }));
  expect(single.body.outputs[0]).toMatchObject({ segments: 1, sha256: inSegments.body.outputs[0].sha256 });
  expect(await container.jobFolders()).toEqual([]);
});

test('a trim and a fade are exact beside an output that is encoded in segments', async () => {
  const outputs = [
    { format: 'mp3_128' },
    { format: 'wav', trim: { start: 49.9, end: 50.2 } },
    { format: 'wav', fade: { out: 30 } },
  ].map((output, index) => ({ ...output, uploadUrl: container.fileUrl(`cuts/${index}`) }));
  const answer = await container.call('POST', '/encode', { sourceUrl: container.fileUrl('music.wav'), outputs });
  const { duration, sampleRate, channels } = answer.body.source;
  expect(answer.body.outputs).toMatchObject([{ segments: 2, duration }, { duration: 0.3 }, { duration }]);
  const whole = await rawSamplesOf(join(container.mediaRoot, 'music.wav'), 's16le');
  const second = sampleRate * channels;
  expect(whole.length / second).toBeCloseTo(duration, 3);
  const trimmed = await rawSamplesOf(join(container.mediaRoot, 'cuts/1'), 's16le');
  expect(
    Buffer.from(trimmed.buffer).equals(
      Buffer.from(whole.slice(Math.round(49.9 * second), Math.round(50.2 * second)).buffer),
    ),
  ).toBe(true);
  const faded = await rawSamplesOf(join(container.mediaRoot, 'cuts/2'), 's16le');
  expect(faded.length).toBe(whole.length);
  const firstFaded = faded.findIndex((sample, index) => sample !== whole[index]) / second;
  expect(firstFaded).toBeGreaterThanOrEqual(duration - 30);
  expect(firstFaded).toBeLessThan(duration - 29.9);
});

test('a short input is encoded by a single run', async () => {
  const answer = await container.call('POST', '/encode', request('short.wav', ['mp3_64']));
  expect(answer.body.outputs[0]).toMatchObject({ segments: 1 });
});

test.each(['long.wav', 'long.mp3'])(
  'a cancellation ends all processes of %s and leaves nothing behind',
  async (source) => {
    const jobId = await container.submit('/encode', request(source, ['mp3_128', 'opus_96', 'aac_128']));
    await container.process.until(
      'two processes at work',
      async () => (await ffmpegProcessesUnder(container.scratchDir)).length === 2,
    );
    await container.call('DELETE', `/jobs/${jobId}`);
    expect(await container.untilEnded(jobId)).toMatchObject({ state: 'cancelled' });
    expect(await ffmpegProcessesUnder(container.scratchDir)).toEqual([]);
    expect(await container.jobFolders()).toEqual([]);
  },
);

test('killing one process from outside fails the job and ends the others', async () => {
  const jobId = await container.submit('/encode', request('long.wav', ['mp3_128']));
  const second = await container.process.until('two processes at work', async () => {
    const found = await ffmpegProcessesUnder(container.scratchDir);
    return found.length === 2 && found[1];
  });
  process.kill(second, 'SIGKILL');
  expect(await container.untilEnded(jobId)).toMatchObject({ state: 'failed', error: { code: 'ffmpeg_failed' } });
  expect(await ffmpegProcessesUnder(container.scratchDir)).toEqual([]);
});

test('percent never falls while segments are encoded', async () => {
  const media = await MediaServer.start();
  const isWatched = Promise.withResolvers<void>();
  const sourceUrl = media.on('GET /music.wav', async (_, response) => {
    await isWatched.promise;
    createReadStream(join(container.mediaRoot, 'music.wav')).pipe(response);
  });
  const jobId = await container.submit('/encode', { ...request('music.wav', ['mp3_96', 'aac_96']), sourceUrl });
  const events = await fetch(`${container.url}/jobs/${jobId}/events`);
  isWatched.resolve();
  const seen = [...(await events.text()).matchAll(/"percent":([\d.]+)/g)].map(([, percent]) => Number(percent));
  await media.stop();
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  expect(new Set(seen).size).toBeGreaterThan(5);
});

test('ENCODE_PARALLELISM=1 turns segments off, and a bad value stops the start by name', async () => {
  const one = await stopAfterTest(TestContainer.start({ ENCODE_PARALLELISM: '1' }));
  await copyFile(join(container.mediaRoot, 'music.wav'), join(one.mediaRoot, 'music.wav'));
  const body = {
    sourceUrl: one.fileUrl('music.wav'),
    outputs: [{ format: 'mp3_128', uploadUrl: one.fileUrl('x.mp3') }],
  };
  expect((await one.call('POST', '/encode', body)).body.outputs[0]).toMatchObject({ segments: 1 });
  const inSegments = await readFile(join(container.mediaRoot, 'music.wav-mp3_128'));
  expect((await readFile(join(one.mediaRoot, 'x.mp3'))).equals(inSegments)).toBe(true);
  await expect(TestContainer.start({ ENCODE_PARALLELISM: '0' })).rejects.toThrow('ENCODE_PARALLELISM');
});
