import { createReadStream } from 'node:fs';
import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import { JobsPage, JobView } from '../../../contract/http/job.ts';
import { speechWav } from '../../support/media.ts';
import { useService } from './support.ts';

const service = await useService();

test('lists all jobs on GET /jobs, newest first and without results', async () => {
  const ids = [];
  for (const source of [service.speech(), service.container.fileUrl('missing')]) {
    const jobId = await service.container.submit('/encode', service.encodeOf(source, 'jobs'));
    await service.container.untilEnded(jobId);
    ids.push(jobId);
  }
  const running = await service.container.submit('/encode', service.encodeOf(service.never, 'jobs'));
  const { jobs } = JobsPage.parse((await service.container.call('GET', '/jobs')).body);
  expect(jobs.slice(0, 3).map(({ jobId, state }) => [jobId, state])).toEqual([
    [running, 'running'],
    [ids[1], 'failed'],
    [ids[0], 'succeeded'],
  ]);
  expect(jobs.filter((job) => 'result' in job)).toEqual([]);
  const starts = jobs.map(({ startedAt }) => Date.parse(startedAt));
  expect(starts).toEqual(starts.toSorted((a, b) => b - a));
});

describe('GET /jobs in pages', () => {
  const page = async (query: string) => JobsPage.parse((await service.container.call('GET', `/jobs?${query}`)).body);

  test('lists every job once over all pages', async () => {
    for (let count = 0; count < 3; count += 1) {
      await service.container.untilEnded(
        await service.container.submit('/encode', service.encodeOf(service.speech(), 'pages')),
      );
    }
    const whole = (await page('limit=1000')).jobs.map(({ jobId }) => jobId);
    const found: string[] = [];
    for (let cursor = ''; ;) {
      const { jobs, nextCursor } = await page(`limit=2${cursor}`);
      expect(jobs.length).toBeLessThanOrEqual(2);
      found.push(...jobs.map(({ jobId }) => jobId));
      if (nextCursor === undefined) break;
      cursor = `&cursor=${nextCursor}`;
    }
    expect(found).toEqual(whole);
  });

  test('filters jobs by state and kind', async () => {
    const missing = service.container.fileUrl('missing');
    await service.container.untilEnded(await service.container.submit('/encode', service.encodeOf(missing, 'failed')));
    expect(new Set((await page('state=failed')).jobs.map(({ state }) => state))).toEqual(new Set(['failed']));
    expect((await page('kind=chunk')).jobs).toEqual([]);
    expect((await page('kind=encode&limit=1')).jobs).toHaveLength(1);
  });

  test('rejects invalid queries of jobs with 400', async () => {
    for (const query of ['limit=0', 'limit=many', 'state=gone', 'kind=dance', 'sort=name']) {
      const answer = await service.container.call('GET', `/jobs?${query}`);
      expect(answer, query).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    }
    // A forgotten job was the oldest; nothing follows it.
    expect(await page('cursor=forgotten')).toEqual({ jobs: [] });
  });
});

test('answers every request for an unknown job with 404', async () => {
  for (const [method, path] of [
    ['GET', '/jobs/none'],
    ['GET', '/jobs/none/events'],
    ['DELETE', '/jobs/none'],
  ] as const) {
    expect(await service.container.call(method, path)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  }
});

test('changes nothing by DELETE of a job that has ended', async () => {
  const done = await service.post('/encode', service.encodeOf(service.speech(), 'ended'));
  const answer = await service.container.call('DELETE', `/jobs/${done.body.jobId}`);
  expect(answer).toMatchObject({ status: 200, body: { state: 'succeeded', result: done.body } });
});

/** Events of a job until the stream closes. */
async function eventsOf(jobId: string, onBegun = (): void => {}): Promise<JobView[]> {
  const response = await request(`${service.container.url}/jobs/${jobId}/events`);
  onBegun();
  expect(response.headers['content-type']).toMatch(/^text\/event-stream/);
  return (await response.body.text())
    .split('\n\n')
    .filter((block) => block.startsWith('data: '))
    .map((block) => JobView.parse(JSON.parse(block.slice('data: '.length))));
}

describe('GET /jobs/:id/events', () => {
  test('streams the present state, each advance and the last state of a job', async () => {
    const { promise: begun, resolve: onBegun } = Promise.withResolvers<void>();
    const sourceUrl = service.media.on('GET /followed.wav', async (_request, response) => {
      await begun;
      createReadStream(speechWav).pipe(response);
    });
    const jobId = await service.container.submit('/encode', service.encodeOf(sourceUrl, 'events'));
    const events = await eventsOf(jobId, onBegun);
    expect(events.length).toBeGreaterThanOrEqual(2);
    expect(events.at(-1)).toMatchObject({ jobId, state: 'succeeded', percent: 100 });
    expect(events.slice(0, -1).every(({ state }) => state === 'running')).toBe(true);
    const percents = events.map(({ percent }) => percent);
    expect(percents).toEqual(percents.toSorted((a, b) => a - b));
    const advances = events.map((event) => event.advances);
    expect(advances).toEqual(advances.toSorted((a, b) => a - b));
  });

  test('streams only the last state of a job that has ended', async () => {
    const { jobId } = (await service.post('/encode', service.encodeOf(service.speech(), 'events-2'))).body;
    expect(await eventsOf(jobId)).toMatchObject([{ jobId, state: 'succeeded' }]);
  });

  test('answers a reader that reconnects after the end with 204', async () => {
    const { jobId } = (await service.post('/encode', service.encodeOf(service.speech(), 'events-204'))).body;
    const url = `${service.container.url}/jobs/${jobId}/events`;
    const text = await (await request(url)).body.text();
    const lastEventId = /^id: (.+)$/m.exec(text)?.[1] ?? '';
    const again = await request(url, { headers: { 'last-event-id': lastEventId } });
    expect([again.statusCode, await again.body.text()]).toEqual([204, '']);
  });

  test('keeps the job and its other readers undisturbed when a reader leaves', async () => {
    const jobId = await service.container.submit('/encode', service.encodeOf(service.never, 'events-3'));
    const response = await request(`${service.container.url}/jobs/${jobId}/events`);
    response.body.on('error', () => {}).destroy();
    const reading = eventsOf(jobId);
    await service.container.call('DELETE', `/jobs/${jobId}`);
    expect((await reading).at(-1)).toMatchObject({ state: 'cancelled', error: { code: 'cancelled' } });
  });
});
