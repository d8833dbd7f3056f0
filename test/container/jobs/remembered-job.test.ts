import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { rememberJob } from '../../../container/jobs/remembered-job.ts';
import type { EndedJobView } from '../../../contract/http/job.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const ended: EndedJobView = {
  jobId: '6f7a3c2e-0000-4000-8000-000000000000',
  kind: 'chunk',
  state: 'succeeded',
  phase: 'upload',
  percent: 100,
  advances: 1,
  startedAt: '2026-11-29T22:00:00.000Z',
  endedAt: '2026-11-29T22:00:01.000Z',
  result: { success: true, jobId: 'a job', totalChunks: 0, totalDuration: 0, chunks: [] },
};

test('keeps no more than the JSON of a remembered job while other buffers are made and dropped', async () => {
  collectGarbage();
  const before = process.memoryUsage().arrayBuffers;
  const remembered = Array.from({ length: 500 }, () => {
    const job = rememberJob(ended);
    // The traffic of one job takes more than the pool of small buffers.
    for (let part = 0; part < 20; part += 1) Buffer.from('traffic'.repeat(500));
    return job;
  });
  const bytes = remembered.reduce((sum, job) => sum + job.bytes, 0);
  // V8 frees dropped buffers in another thread.
  const keptBytes = (): number => {
    collectGarbage();
    return process.memoryUsage().arrayBuffers - before;
  };
  await expect.poll(keptBytes, { timeout: 10_000 }).toBeLessThan(bytes);
  expect(remembered.at(-1)?.view()).toEqual(ended);
});
