import { createReadStream } from 'node:fs';
import { expect, test } from 'vitest';
import { TestContainer } from '../../../support/container.ts';
import { speechWav } from '../../../support/media.ts';
import { useService } from '../../http/support.ts';
import { stopAfterTest } from '../../../support/stop-after-all.ts';

const service = await useService();

/** A source that is held back until `release`. */
function heldSource(name: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const sourceUrl = service.media.on(`GET /${name}`, async (_request, response) => {
    response.on('close', () => closed.resolve());
    response.write('');
    await promise;
    createReadStream(speechWav).pipe(response);
  });
  return { sourceUrl, release: resolve, closed: closed.promise, count: () => service.media.count(`GET /${name}`) };
}

const asynchronous = { prefer: 'respond-async' };

test('inspects a source as a job with the result of the held request', async () => {
  const sourceUrl = service.speech();
  const { status, headers, body } = await service.post('/metadata', { sourceUrl }, asynchronous);
  expect({ status, headers, body }).toMatchObject({
    ...{ status: 202, body: { success: true, state: 'running' } },
    headers: { location: `/jobs/${body.jobId}`, 'preference-applied': 'respond-async' },
  });
  const job = await service.container.untilEnded(body.jobId);
  expect(job).toMatchObject({ kind: 'metadata', state: 'succeeded', percent: 100, phase: 'probe' });
  const held = await service.post('/metadata', { sourceUrl });
  expect(job).toHaveProperty('result', held.body);
  expect(held.body).not.toHaveProperty('jobId');
  expect(await service.container.jobFolders()).toEqual([]);
});

test('runs an inspection without a slot, and lists it only under its own kind', async () => {
  const encode = await service.container.submit('/encode', service.encodeOf(service.never, 'beside'));
  const { sourceUrl, release } = heldSource('beside.wav');
  const jobId = await service.container.submit('/metadata', { sourceUrl });
  expect(await service.container.health()).toMatchObject({ activeJobs: 1, jobs: [encode] });
  const listed = async (query: string): Promise<string[]> =>
    (await service.container.call('GET', `/jobs?state=running${query}`)).body.jobs.map(
      (job: { jobId: string }) => job.jobId,
    );
  expect([await listed(''), await listed('&kind=metadata')]).toEqual([[encode], [jobId]]);
  release();
  expect(await service.container.untilEnded(jobId)).toMatchObject({ state: 'succeeded' });
  await service.container.call('DELETE', `/jobs/${encode}`);
  expect(service.container.process.output).not.toMatch(new RegExp(`\\[JOB_\\w+\\][^\n]*${jobId}`));
});

test('joins requests with one idempotency key, and answers with the result once the job has ended', async () => {
  const { sourceUrl, release, count } = heldSource('joined.wav');
  const key = { ...asynchronous, 'idempotency-key': 'a-run:chunk:metadata' };
  const ask = (url: string) => service.post('/metadata', { sourceUrl: url }, key);
  const first = await ask(`${sourceUrl}?X-Amz-Signature=1`);
  const second = await ask(`${sourceUrl}?X-Amz-Signature=2`);
  expect([first.status, second.status, second.body.jobId]).toEqual([202, 202, first.body.jobId]);
  release();
  await service.container.untilEnded(first.body.jobId);
  expect(await ask(sourceUrl)).toMatchObject({ status: 200, body: { duration: expect.closeTo(15.2, 0) as number } });
  expect(count()).toBe(1);
  expect(await ask(service.speech())).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
});

test('ends the download of a cancelled inspection and leaves nothing', async () => {
  const { sourceUrl, closed, count } = heldSource('cancelled.wav');
  const jobId = await service.container.submit('/metadata', { sourceUrl });
  await service.container.process.until('download', () => count() === 1);
  expect((await service.container.call('DELETE', `/jobs/${jobId}`)).body).toMatchObject({ state: 'cancelled' });
  await closed;
  expect(await service.container.jobFolders()).toEqual([]);
});

test('fails an inspection of an unreadable source with the code of the held request', async () => {
  const jobId = await service.container.submit('/metadata', { sourceUrl: `${service.media.url}/missing.wav` });
  expect(await service.container.untilEnded(jobId)).toMatchObject({
    ...{ state: 'failed', error: { success: false, code: 'source_not_found' } },
  });
});

test('does not apply the time limit of held requests to an inspection that is a job', async () => {
  const own = await stopAfterTest(TestContainer.start({ METADATA_TIMEOUT_SECONDS: '1' }));
  const { sourceUrl, release } = heldSource('late.wav');
  const jobId = await own.submit('/metadata', { sourceUrl });
  expect(await own.call('POST', '/metadata', { sourceUrl })).toMatchObject({
    status: 504,
    body: { code: 'timeout' },
  });
  expect(await own.job(jobId)).toMatchObject({ state: 'running' });
  release();
  expect(await own.untilEnded(jobId)).toMatchObject({ state: 'succeeded' });
});

test('finishes an inspection at shutdown and accepts no other', async () => {
  const own = await stopAfterTest(TestContainer.start({ DRAIN_TIMEOUT_SECONDS: '30' }));
  const { sourceUrl, release } = heldSource('draining.wav');
  const jobId = await own.submit('/metadata', { sourceUrl });
  await own.process.until('download', () => service.media.count('GET /draining.wav') === 1);
  process.kill(own.process.pid, 'SIGTERM');
  await own.process.untilLogged(/Draining: no new jobs/);
  const late = await own.call('POST', '/metadata', { sourceUrl }, asynchronous);
  expect(late).toMatchObject({ status: 503, body: { code: 'draining' } });
  expect(await own.job(jobId)).toMatchObject({ state: 'running' });
  release();
  await own.process.exited;
});
