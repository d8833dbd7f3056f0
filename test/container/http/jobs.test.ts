import { createReadStream } from 'node:fs';
import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import { JobsPage, JobView } from '../../../contract/http/job.ts';
import { speechWav } from '../../support/media.ts';
import { useService } from './support.ts';

const service = useService();

test('GET /jobs lists all jobs, newest first, each by its schema and without its result', async () => {
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

  test('gives every job once, whatever the size of a page', async () => {
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

  test('are of one state or kind where these are asked for', async () => {
    const missing = service.container.fileUrl('missing');
    await service.container.untilEnded(await service.container.submit('/encode', service.encodeOf(missing, 'failed')));
    expect(new Set((await page('state=failed')).jobs.map(({ state }) => state))).toEqual(new Set(['failed']));
    expect((await page('kind=chunk')).jobs).toEqual([]);
    expect((await page('kind=encode&limit=1')).jobs).toHaveLength(1);
  });

  test('that cannot be are 400', async () => {
    for (const query of ['limit=0', 'limit=many', 'state=gone', 'kind=dance', 'sort=name']) {
      const answer = await service.container.call('GET', `/jobs?${query}`);
      expect(answer, query).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    }
    // A job that is remembered no longer was the oldest; there is nothing behind it.
    expect(await page('cursor=forgotten')).toEqual({ jobs: [] });
  });
});

test('an unknown job is 404, whatever is asked of it', async () => {
  for (const [method, path] of [
    ['GET', '/jobs/none'],
    ['GET', '/jobs/none/events'],
    ['DELETE', '/jobs/none'],
  ] as const) {
    expect(await service.container.call(method, path)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  }
});

test('DELETE of a job that has ended changes nothing', async () => {
  const done = await service.post('/encode', service.encodeOf(service.speech(), 'ended'));
  const answer = await service.container.call('DELETE', `/jobs/${done.body.jobId}`);
  expect(answer).toMatchObject({ status: 200, body: { state: 'succeeded', result: done.body } });
});

/** Everything that an event stream says until it is closed; `onBegun` is called when it has begun. */
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
  test('the stream begins with the present state, tells each advance and ends behind the last state', async () => {
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

  test('the stream of a job that has ended tells its last state alone', async () => {
    const { jobId } = (await service.post('/encode', service.encodeOf(service.speech(), 'events-2'))).body;
    expect(await eventsOf(jobId)).toMatchObject([{ jobId, state: 'succeeded' }]);
  });

  test('a reader that comes again after the end is told by 204 not to come back', async () => {
    const { jobId } = (await service.post('/encode', service.encodeOf(service.speech(), 'events-204'))).body;
    const url = `${service.container.url}/jobs/${jobId}/events`;
    const text = await (await request(url)).body.text();
    const lastEventId = /^id: (.+)$/m.exec(text)?.[1] ?? '';
    const again = await request(url, { headers: { 'last-event-id': lastEventId } });
    expect([again.statusCode, await again.body.text()]).toEqual([204, '']);
  });

  test('a reader that leaves does not disturb the job or its other readers', async () => {
    const jobId = await service.container.submit('/encode', service.encodeOf(service.never, 'events-3'));
    const response = await request(`${service.container.url}/jobs/${jobId}/events`);
    response.body.on('error', () => {}).destroy();
    const reading = eventsOf(jobId);
    await service.container.call('DELETE', `/jobs/${jobId}`);
    expect((await reading).at(-1)).toMatchObject({ state: 'cancelled', error: { code: 'cancelled' } });
  });
});
