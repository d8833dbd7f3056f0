import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { TestContainer } from '../../support/container.ts';
import { speechWav } from '../../support/media.ts';
import { useService } from './support.ts';
import { stopAfterTest } from '../../support/stop-after-all.ts';

const service = await useService();

const headers = (key: string) => ({ 'idempotency-key': key });

test('joins an active job by its key, restarts a failed one, and returns the result of a finished one', async () => {
  let release = (): void => {};
  const slow = service.media.on('GET /slow', (_request, response) => {
    release = () => {
      service.media.serve('/slow', speechWav);
      response.destroy();
    };
  });
  // The connection to the first source is reset, so this job fails.
  const body = service.encodeOf(slow, 'join');
  const held = service.post('/encode', body, headers('join'));
  const jobId = await service.activeJob();
  const joined = service.post('/encode', body, headers('join'));
  const async = await service.post('/encode', body, { ...headers('join'), prefer: 'respond-async' });
  expect(async).toMatchObject({ status: 202, body: { jobId } });
  expect((await service.post('/encode', body)).status).toBe(429);
  expect((await service.post('/encode', body, headers('another'))).status).toBe(429);
  await service.container.process.until('request for the source', () => service.media.count('GET /slow') === 1);
  release();
  for (const answer of [await held, await joined]) {
    expect(answer).toMatchObject({ status: 502, body: { code: 'source_unavailable', jobId } });
  }

  // After a failure the same key restarts the job.
  const again = await service.post('/encode', body, headers('join'));
  expect(again.status).toBe(200);
  expect(again.body.jobId).not.toBe(jobId);

  // After a success the same key returns the stored result.
  const stored = await service.post('/encode', body, headers('join'));
  expect(stored).toMatchObject({ status: 200, body: again.body });
  expect(await service.post('/encode', body, { ...headers('join'), prefer: 'respond-async' })).toMatchObject({
    status: 200,
    body: again.body,
  });
  expect(service.media.count('GET /slow')).toBe(2);
});

test('waits for the end of a job that is being cancelled, and restarts it by the same key', async () => {
  // This ffmpeg ignores SIGTERM, so that the cancellation takes until SIGKILL.
  const deaf = fileURLToPath(new URL('../../fixtures/ffmpeg/deaf', import.meta.url));
  const own = await stopAfterTest(TestContainer.start({ FFMPEG_PATH: deaf }));
  await copyFile(speechWav, join(own.mediaRoot, 'speech.wav'));
  const body = service.encodeOf(own.fileUrl('speech.wav'), 'ending', own);
  const first = await own.submit('/encode', body, headers('ending'));
  await own.process.until('ffmpeg', async () => (await own.job(first)).phase === 'encode');
  const cancelled = own.call('DELETE', `/jobs/${first}`);
  const second = await own.submit('/encode', body, headers('ending'));
  expect(second).not.toBe(first);
  expect((await cancelled).body).toMatchObject({ jobId: first, state: 'cancelled' });
  expect(await own.health()).toMatchObject({ jobs: [second] });
});

test('restarts a cancelled job by the same key', async () => {
  const first = await service.container.submit(
    '/encode',
    service.encodeOf(service.never, 'cancelled'),
    headers('cancelled'),
  );
  await service.container.call('DELETE', `/jobs/${first}`);
  const second = await service.container.submit(
    '/encode',
    service.encodeOf(service.never, 'cancelled'),
    headers('cancelled'),
  );
  expect(second).not.toBe(first);
});

test('rejects a key with another body or for another endpoint with 422', async () => {
  await service.post('/encode', service.encodeOf(service.speech(), 'reused'), headers('reused'));
  const chunk = { sourceUrl: service.speech(), chunks: [{ index: 0, uploadUrl: service.out('reused') }] };
  for (const [path, body] of [
    ['/encode', service.encodeOf(service.speech(), 'another')],
    ['/encode', { ...service.encodeOf(service.speech(), 'reused'), sourceSha256: '0'.repeat(64) }],
    ['/chunk', chunk],
  ] as const) {
    const answer = await service.post(path, body, headers('reused'));
    expect(answer).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
  }
});

test('joins a request that differs only in the signatures of its URLs', async () => {
  const signed = (signature: string) => ({
    sourceUrl: `${service.never}?X-Amz-Date=${signature}&X-Amz-Signature=${signature}`,
    outputs: [{ format: 'mp3_64', uploadUrl: `${service.media.url}/signed?X-Amz-Signature=${signature}` }],
  });
  const jobId = await service.container.submit('/encode', signed('one'), headers('signed'));
  expect(await service.container.submit('/encode', signed('two'), headers('signed'))).toBe(jobId);
  expect(service.container.process.output).not.toContain('X-Amz');
});

test.each(['a\tb', ''])('rejects the key %j with 400', async (key) => {
  const answer = await service.post('/encode', service.encodeOf(service.never, 'bad-key'), headers(key));
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
});

test('cancels a job when both joined clients have left, but not when one has', async () => {
  const body = service.encodeOf(service.never, 'leaving');
  const [one, other] = [service.heldRequest(body, headers('leaving')), service.heldRequest(body, headers('leaving'))];
  const jobId = await service.activeJob();
  // After a round trip the container knows both requests.
  await service.container.health();
  one.drop();
  expect(await one.answer).toBe('dropped');
  expect((await service.post('/encode', body, { ...headers('x'), prefer: 'respond-async' })).status).toBe(429);
  expect((await service.container.job(jobId)).state).toBe('running');
  other.drop();
  await service.container.untilJob(jobId, 'cancelled job', ({ state }) => state === 'cancelled');
});

test('keeps a job for an asynchronous client after the held client has left', async () => {
  const body = service.encodeOf(service.never, 'kept');
  const held = service.heldRequest(body, headers('kept'));
  const jobId = await service.activeJob();
  expect(await service.container.submit('/encode', body, headers('kept'))).toBe(jobId);
  held.drop();
  await held.answer;
  const gone = () => service.container.process.logLines.some(({ msg }) => msg === 'request aborted');
  await service.container.process.until('dropped request in the log', gone);
  expect((await service.container.job(jobId)).state).toBe('running');
});
