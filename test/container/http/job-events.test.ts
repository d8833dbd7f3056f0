import { connect } from 'node:net';
import express, { type Response } from 'express';
import { expect, test, vi } from 'vitest';
import { jobsRouter } from '../../../container/http/jobs.ts';
import { rememberJob } from '../../../container/jobs/remembered-job.ts';
import type { Job } from '../../../container/jobs/job.ts';
import type { Jobs } from '../../../container/jobs/registry.ts';
import { LoopbackServer } from '../../support/loopback-server.ts';
import { stopAfterTest } from '../../support/stop-after-all.ts';

/** A job whose result exceeds the buffers of a connection. */
const job = rememberJob({
  ...{ jobId: 'large', kind: 'chunk', state: 'succeeded', phase: 'upload', percent: 100, advances: 1 },
  ...{ startedAt: '2026-02-02T10:00:00.000Z', endedAt: '2026-02-02T10:00:00.000Z' },
  result: {
    ...{ success: true, jobId: 'large', totalChunks: 1e5, totalDuration: 1e5 },
    chunks: Array.from({ length: 1e5 }, (_, index) => ({
      ...{ index, start: index, duration: 1, size: 1000, sha256: 'a'.repeat(64) },
    })),
    source: { duration: 1e5, channels: 1, sampleRate: 8000, bitrate: 128, complete: true },
  },
});
const jobs: Jobs = {
  submit: () => ({ kind: 'busy' }),
  refusalOf: () => 'busy',
  drain: () => {},
  isDraining: false,
  expectRequest: () => {},
  reported: () => {},
  allReported: async () => {},
  all: () => [job],
  get: () => job,
  active: () => [],
};

test('repeats the state of a quiet job every two seconds, as a sign of life', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const running: Job = { ...job, state: 'running', ended: new Promise(() => {}) };
  const app = express().use(jobsRouter({ ...jobs, get: () => running }));
  const server = await LoopbackServer.start(app);
  const reader = connect(server.port, '127.0.0.1').setEncoding('utf8');
  let received = '';
  reader.on('data', (text: string) => (received += text));
  const views = (): number => received.split('data: ').length - 1;
  try {
    reader.write('GET /jobs/large/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await vi.waitUntil(() => views() === 1, { timeout: 120_000 });
    vi.advanceTimersByTime(1_999);
    expect(views()).toBe(1);
    vi.advanceTimersByTime(1);
    await vi.waitUntil(() => views() === 2, { timeout: 120_000 });
  } finally {
    reader.destroy();
    await server.stop();
    vi.useRealTimers();
  }
});

test('survives a reader that stops reading before the end', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const errors: Error[] = [];
  const responses: Response[] = [];
  const app = express();
  app.use((_request, response, next) => {
    responses.push(response.on('error', (error) => errors.push(error)));
    next();
  });
  app.use(jobsRouter(jobs));
  const server = await LoopbackServer.start(app);
  const reader = connect(server.port, '127.0.0.1');
  try {
    // The client reads nothing.
    reader.write('GET /jobs/large/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await vi.waitUntil(() => responses[0]?.writableEnded, { timeout: 120_000 });
    vi.advanceTimersByTime(60_000);
    await new Promise(setImmediate);
    expect(responses[0]?.writableFinished).toBe(false);
    expect(errors).toEqual([]);
  } finally {
    reader.destroy();
    await server.stop();
    vi.useRealTimers();
  }
});

test.each(['GET /jobs/large', 'GET /jobs/large/events', 'DELETE /jobs/large'])(
  'counts the reader of the answer of %s as informed of the end of the job',
  async (line) => {
    const reported = vi.fn();
    const server = await stopAfterTest(LoopbackServer.start(express().use(jobsRouter({ ...jobs, reported }))));
    const [method = '', path = ''] = line.split(' ');
    const response = await fetch(`${server.url}${path}`, { method });
    await response.text();
    await vi.waitUntil(() => reported.mock.calls.length > 0, { timeout: 120_000 });
    expect(reported.mock.calls).toEqual([['large']]);
  },
);
