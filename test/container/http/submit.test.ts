import { expect, test } from 'vitest';
import { useService } from './support.ts';

const service = await useService();

test('answers a client that prefers respond-async with 202 and the URL of its job', async () => {
  const answer = await service.post('/encode', service.encodeOf(service.never, 'async'), {
    prefer: 'wait=5, respond-async',
  });
  const { jobId } = answer.body;
  expect(answer).toMatchObject({
    status: 202,
    headers: { location: `/jobs/${jobId}`, 'preference-applied': 'respond-async', 'x-ratelimit-remaining': '0' },
    body: { success: true, jobId: expect.any(String), state: 'running' },
  });
  expect((await service.container.job(jobId)).state).toBe('running');
});

test('rejects an invalid request at once, even with respond-async', async () => {
  const wrong = { sourceUrl: service.never, outputs: [{ format: 'aac', uploadUrl: service.out('x') }] };
  expect(await service.post('/encode', wrong, { prefer: 'respond-async' })).toMatchObject({
    status: 422,
    body: { code: 'unsupported_format' },
  });
  expect((await service.container.health()).activeJobs).toBe(0);
});
