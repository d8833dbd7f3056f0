import { expect, test } from 'vitest';
import { HealthBody } from '../../../contract/http/job.ts';
import { useService } from './support.ts';

const service = useService();

test('GET / tells name, version, endpoints and slot', async () => {
  const answer = await service.container.call('GET', '/');
  expect(answer.body).toMatchObject({
    name: 'holdfast',
    version: expect.any(String),
    slot: { limit: 1, active: 0, remaining: 1 },
  });
  expect(answer.body.endpoints).toContain('POST /encode');
  expect(answer.headers).not.toHaveProperty('x-powered-by');
});

test('a connection is kept for longer than load balancers keep theirs', async () => {
  const { headers } = await service.container.call('GET', '/health');
  expect(headers['keep-alive']).toBe('timeout=75');
});

test('GET /health names the jobs that run and the process that runs them', async () => {
  const jobId = await service.container.submit('/encode', service.encodeOf(service.never, 'health'));
  const body = HealthBody.parse((await service.container.call('GET', '/health')).body);
  expect(body).toMatchObject({ activeJobs: 1, jobs: [jobId] });
  expect(body.instanceId).toBe((await service.container.health()).instanceId);
});
