import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { TestContainer } from '../support/container.ts';
import { ffmpegProcessesUnder } from '../support/ffmpeg-processes.ts';
import { speechWav } from '../support/media.ts';
import { useService } from './http/support.ts';

const hangingFfmpeg = fileURLToPath(new URL('../fixtures/ffmpeg/hangs', import.meta.url));

const service = await useService();

test('finishes the running job after SIGTERM, admits nothing new, and leaves an empty scratch folder', async () => {
  let release = (): void => {};
  const slow = service.media.on('GET /draining', (_request, response) => {
    release = () => void createReadStream(speechWav).pipe(response);
  });
  const draining = await TestContainer.start({ DRAIN_TIMEOUT_SECONDS: '60' });
  const held = draining.call('POST', '/encode', service.encodeOf(slow, 'drained', draining));
  const jobId = await service.activeJob(draining);
  await service.container.process.until('request for the source', () => service.media.count('GET /draining') === 1);
  process.kill(draining.process.pid, 'SIGTERM');
  await draining.process.untilLogged('Draining: no new jobs');

  const refused = await draining.call('POST', '/encode', service.encodeOf(slow, 'late', draining));
  expect(refused).toMatchObject({ status: 503, body: { success: false, code: 'draining' } });
  expect(refused.headers['retry-after']).toBe('10');
  expect(await draining.call('GET', '/ready')).toMatchObject({ status: 503, body: { reason: 'draining' } });
  expect((await draining.health()).jobs).toEqual([jobId]);

  release();
  expect(await held).toMatchObject({ status: 200, body: { success: true, jobId } });
  expect(await draining.process.exited).toEqual({ code: 0, signal: null });
  expect(await readdir(draining.scratchDir)).toEqual([]);
  await draining.stop();
});

test('exits after a successful job only once its worker knows the result', async () => {
  const draining = await TestContainer.start({ DRAIN_TIMEOUT_SECONDS: '60' });
  await copyFile(speechWav, join(draining.mediaRoot, 'speech.wav'));
  const lease = randomUUID();
  // A lease ends after 5 s without a request.
  const asking = draining.call('GET', `/slot?lease=${lease}&known=granted`);
  expect(await draining.call('GET', `/slot?lease=${lease}`)).toMatchObject({ body: { state: 'granted' } });
  const request = service.encodeOf(draining.fileUrl('speech.wav'), 'x', draining);
  const jobId = await draining.submit('/encode', request, { 'holdfast-lease': lease });
  await asking;
  await draining.process.untilLogged(`[JOB_END] Completed encoding job ${jobId}. Active jobs: 0`);
  process.kill(draining.process.pid, 'SIGTERM');
  await draining.process.untilLogged('Draining: no new jobs');
  await delay(500);
  expect(await draining.job(jobId)).toMatchObject({ state: 'succeeded' });
  expect(await draining.process.exited).toEqual({ code: 0, signal: null });
  await draining.stop();
});

test('ends a job at the drain timeout with the code draining, and kills its ffmpeg', async () => {
  const draining = await TestContainer.start({ DRAIN_TIMEOUT_SECONDS: '1', FFMPEG_PATH: hangingFfmpeg });
  await copyFile(speechWav, join(draining.mediaRoot, 'speech.wav'));
  const held = draining.call('POST', '/encode', service.encodeOf(draining.fileUrl('speech.wav'), 'x', draining));
  const jobId = await service.activeJob(draining);
  await draining.untilJob(jobId, 'job at ffmpeg', ({ phase }) => phase === 'encode');
  process.kill(draining.process.pid, 'SIGTERM');
  expect(await held).toMatchObject({ status: 503, body: { success: false, code: 'draining', jobId } });
  expect(await draining.process.exited).toEqual({ code: 0, signal: null });
  expect(draining.process.messages()).toContain(`[JOB_END] Failed encoding job ${jobId}. Active jobs: 0`);
  expect(await readdir(draining.scratchDir)).toEqual([]);
  expect(await ffmpegProcessesUnder(draining.scratchDir)).toEqual([]);
  await draining.stop();
});

test('finishes a started inspection after SIGTERM, and starts no other', async () => {
  let release = (): void => {};
  const slow = service.media.on('GET /look', (_request, response) => {
    release = () => void createReadStream(speechWav).pipe(response);
  });
  const draining = await TestContainer.start({ DRAIN_TIMEOUT_SECONDS: '60' });
  const begun = draining.call('POST', '/metadata', { sourceUrl: slow });
  await draining.process.until('request for the source', () => service.media.count('GET /look') === 1);
  process.kill(draining.process.pid, 'SIGTERM');
  await draining.process.untilLogged('Draining: no new jobs');
  const late = await draining.call('POST', '/metadata', { sourceUrl: slow });
  expect(late).toMatchObject({ status: 503, headers: { 'retry-after': '10' }, body: { code: 'draining' } });
  release();
  expect(await begun).toMatchObject({ status: 200, body: { success: true } });
  expect(await draining.process.exited).toEqual({ code: 0, signal: null });
  await draining.stop();
});

test('ends an inspection at the drain timeout with the code draining', async () => {
  const draining = await TestContainer.start({ DRAIN_TIMEOUT_SECONDS: '0' });
  const held = draining.call('POST', '/metadata', { sourceUrl: service.never });
  await draining.process.until('look', async () => (await draining.jobFolders()).length === 1);
  process.kill(draining.process.pid, 'SIGTERM');
  expect(await held).toMatchObject({ status: 503, body: { success: false, code: 'draining' } });
  expect(await draining.process.exited).toEqual({ code: 0, signal: null });
  expect(await readdir(draining.scratchDir)).toEqual([]);
  await draining.stop();
});
