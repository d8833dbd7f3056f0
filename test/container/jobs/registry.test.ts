import { once } from 'node:events';
import { beforeEach, expect, test } from 'vitest';
import type { ChunkResult } from '../../../contract/http/chunk.ts';
import type { JobWork } from '../../../container/jobs/job.ts';
import { createLeases } from '../../../container/jobs/leases.ts';
import { createJobs, type Jobs, type SubmitOutcome } from '../../../container/jobs/registry.ts';
import { createSlots } from '../../../container/jobs/slots.ts';
import { createLog } from '../../../process/log.ts';

let jobs: Jobs;

function jobsWith(more: { unaskedMs?: number } = {}): Jobs {
  const slots = createSlots(1);
  return createJobs({
    slots,
    leases: createLeases({ slots, readiness: async () => undefined, isDraining: () => false }),
    scratch: {
      createFolders: async (jobId) => ({ folder: jobId, fetchedFolder: jobId }),
      removeFolders: async () => {},
      problem: async () => undefined,
      freeBytes: async () => undefined,
      removeAll: async () => {},
    },
    metrics: { recordEnd: () => {}, recordRejection: () => {}, contentType: '', text: async () => '' },
    log: createLog('test', 'silent'),
    jobTimeoutSeconds: 60,
    ...more,
  });
}

beforeEach(() => {
  jobs = jobsWith();
});

/** Runs a job to its end, and returns its id. */
async function runJob(work: JobWork, idempotencyKey?: string): Promise<string> {
  const outcome = jobs.submit({
    kind: 'chunk',
    fingerprint: 'same',
    idempotencyKey,
    needsSlot: true,
    lease: undefined,
    work,
  });
  if (!('job' in outcome)) throw new Error(outcome.kind);
  await outcome.job.ended;
  return outcome.job.id;
}

const workUntilAborted: JobWork = async ({ signal }) => {
  await once(signal, 'abort');
  throw signal.reason;
};

function submit(idempotencyKey: string, fingerprint: string): SubmitOutcome {
  const start = { kind: 'chunk', needsSlot: true, lease: undefined, work: workUntilAborted } as const;
  return jobs.submit({ ...start, idempotencyKey, fingerprint });
}

function resultOf(jobId: string, chunks: number): ChunkResult {
  return {
    success: true,
    jobId,
    totalChunks: chunks,
    totalDuration: chunks * 60,
    chunks: Array.from({ length: chunks }, (_, index) => ({
      ...{ index, start: index * 58, duration: 60, size: 480_000 + index },
      sha256: String(index).padStart(64, '0'),
    })),
  };
}

test('remembers the last 1,000 jobs with their results and keys', async () => {
  const ids = [];
  for (let count = 0; count < 1001; count += 1) {
    ids.push(await runJob(async ({ jobId }) => resultOf(jobId, 1), `key-${count}`));
  }
  expect(jobs.all().map(({ id }) => id)).toEqual(ids.slice(1));
  for (const id of ids.slice(1)) {
    expect(jobs.get(id)?.view()).toMatchObject({ jobId: id, state: 'succeeded', result: resultOf(id, 1) });
  }
  const never: JobWork = () => Promise.reject(new Error('it joins'));
  expect(await runJob(never, 'key-1')).toBe(ids[1]);
  expect(ids).not.toContain(await runJob(never, 'key-0'));
});

test('remembers fewer jobs if their results are large', async () => {
  const ids = [];
  // Each result has 1.4 MB.
  for (let count = 0; count < 60; count += 1) ids.push(await runJob(async ({ jobId }) => resultOf(jobId, 10_000)));
  const remembered = jobs.all();
  expect(remembered.map(({ id }) => id)).toEqual(ids.slice(-remembered.length));
  expect(remembered.length).toBeGreaterThan(40);
  expect(remembered.length).toBeLessThan(60);
  expect(remembered.at(-1)?.view()).toMatchObject({ result: resultOf(ids.at(-1) ?? '', 10_000) });
  expect(remembered.at(-1)?.list()).not.toHaveProperty('result');
});

test('keeps a key that was used again after its job failed', async () => {
  const failed = await runJob(() => Promise.reject(new Error('no')), 'again');
  const succeeded = await runJob(async ({ jobId }) => resultOf(jobId, 1), 'again');
  for (let count = 0; count < 999; count += 1) await runJob(async ({ jobId }) => resultOf(jobId, 1));
  expect(jobs.get(failed)).toBeUndefined();
  expect(await runJob(() => Promise.reject(new Error('it joins')), 'again')).toBe(succeeded);
});

test('refuses the key of another request', async () => {
  const started = submit('same', 'one');
  expect(submit('same', 'other')).toEqual({ kind: 'key_reused' });
  expect(submit('same', 'one')).toMatchObject({ kind: 'joined' });
  if ('job' in started) started.job.cancel();
});

test('starts no job while it drains, and joins the running one', async () => {
  const started = submit('running', 'one');
  jobs.drain();
  expect(submit('another', 'one')).toEqual({ kind: 'draining' });
  expect(submit('running', 'one')).toMatchObject({ kind: 'joined' });
  if ('job' in started) started.job.cancel();
});

test('ends a job that nobody asks for after its start, because the run of its lost worker may have ended', async () => {
  jobs = jobsWith({ unaskedMs: 20 });
  const start = () => {
    const outcome = jobs.submit({
      ...{ kind: 'metadata', fingerprint: 'same', idempotencyKey: undefined, needsSlot: false, lease: undefined },
      work: workUntilAborted,
    });
    if (!('job' in outcome)) throw new Error(outcome.kind);
    jobs.expectRequest(outcome.job.id);
    return outcome.job;
  };
  const [asked, unasked] = [start(), start()];
  expect(jobs.get(asked.id)).toBe(asked);
  expect(await unasked.ended).toMatchObject({ state: 'failed', error: { code: 'timeout' } });
  // Its time began before that of the other job.
  expect(asked.state).toBe('running');
  asked.cancel();
});
