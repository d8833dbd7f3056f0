import { expect, test } from 'vitest';
import { HealthBody } from '../../../contract/http/job.ts';
import { useService } from './support.ts';

const service = await useService();

test('reports name, version, endpoints and slot on GET /', async () => {
  const answer = await service.container.call('GET', '/');
  expect(answer.body).toMatchObject({
    name: 'holdfast',
    version: expect.any(String),
    slot: { limit: 1, active: 0, remaining: 1 },
  });
  expect(answer.body.endpoints).toContain('POST /encode');
  expect(answer.headers).not.toHaveProperty('x-powered-by');
});

test('does not log probes and scrapes, which come every few seconds', async () => {
  const { container } = service;
  const quiet = ['/health', '/ready', '/metrics', '/slot'];
  for (const path of [...quiet, '/presets']) await (await fetch(container.url + path)).text();
  const logged = (): string[] =>
    container.process.logLines.flatMap(({ req }) => (req as { path: string } | undefined)?.path ?? []);
  // The line of a probe would be before that of a later request.
  await container.process.until('line of a request', () => logged().includes('/presets'));
  expect(logged().filter((path) => quiet.includes(path))).toEqual([]);
});

test('keeps connections open longer than load balancers do', async () => {
  const { headers } = await service.container.call('GET', '/health');
  expect(headers['keep-alive']).toBe('timeout=75');
});

test('reports the running jobs and the process on GET /health', async () => {
  const jobId = await service.container.submit('/encode', service.encodeOf(service.never, 'health'));
  const body = HealthBody.parse((await service.container.call('GET', '/health')).body);
  expect(body).toMatchObject({ activeJobs: 1, jobs: [jobId] });
  expect(body.instanceId).toBe((await service.container.health()).instanceId);
});
