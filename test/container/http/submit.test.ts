import express from 'express';
import { expect, test, vi } from 'vitest';
import type { AdmissionDeps } from '../../../container/http/refusal.ts';
import { submitRoute } from '../../../container/http/submit.ts';
import { leaseHeader } from '../../../contract/http/slot.ts';
import { LoopbackServer } from '../../support/loopback-server.ts';
import { stopAfterTest } from '../../support/stop-after-all.ts';
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

test.each(['started', 'joined'])('ends a job that a worker has %s and nobody asks for', async (kind) => {
  const expectRequest = vi.fn();
  const job = { id: 'a-job', state: 'running', keep: () => {} };
  const jobs = { submit: () => ({ kind, job }), expectRequest };
  const deps = { jobs, slots: { limit: 1, remaining: 0 } } as unknown as AdmissionDeps;
  const app = express().use((request, _response, next) => {
    request.body = { body: {}, fingerprint: 'same' };
    next();
  });
  app.post('/chunk', submitRoute({ kind: 'chunk', work: () => () => Promise.reject(new Error('unused')) }, deps));
  const server = await stopAfterTest(LoopbackServer.start(app));
  const submit = async (headers: Record<string, string>) => {
    const sent = { prefer: 'respond-async', ...headers };
    return (await fetch(`${server.url}/chunk`, { method: 'POST', headers: sent })).status;
  };
  // Other clients may ask for their job at any later time.
  expect(await submit({})).toBe(202);
  expect(expectRequest).not.toHaveBeenCalled();
  expect(await submit({ [leaseHeader]: 'of-a-worker' })).toBe(202);
  expect(expectRequest.mock.calls).toEqual([['a-job']]);
});
