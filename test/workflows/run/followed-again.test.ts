import { expect, test } from 'vitest';
import {
  accepted,
  answer,
  chunkResult,
  drop,
  encodeResult,
  errorAnswer,
  failedView,
  jobView,
  metadataResult,
  type Script,
  succeededView,
} from '../../fixtures/scripted-container.ts';
import { encodeInput, useScriptedRuns } from '../../support/scripted-runs.ts';

// A worker loses contact with a job, which fails meanwhile. The next attempt follows it again.

const runs = await useScriptedRuns();

const error = { success: false, error: 'The job was cancelled.', code: 'cancelled' };
const cancelledView = jobView(2, { state: 'cancelled', endedAt: 'now', error });

test('a job whose count of chunks was wrong is corrected under a key of its own', async () => {
  const script: Script = ({ method, path }, index) => {
    if (path === '/metadata') return answer(200, metadataResult);
    if (method === 'POST') return index === 0 ? accepted : answer(200, chunkResult(4));
    if (path.endsWith('/events')) return errorAnswer(404, 'not_found');
    return index < 1 ? drop : answer(200, failedView('chunk_count_mismatch', { needed: 4 }));
  };
  const input = { sourceUrl: 'https://media.test/in.mp3', uploadUrlPrefix: 'file:///out/' };
  const { result, failure } = await runs.run(script, input, 'chunking');
  expect(failure).toBeUndefined();
  expect(result).toMatchObject({ totalChunks: 4, attempts: 2 });
  const posts = runs.container?.requestsTo('POST', '/chunk');
  expect(posts?.map(({ body }) => body.chunks.length)).toEqual([3, 4]);
  const [key, corrected] = posts?.map(({ headers }) => String(headers['idempotency-key'])) ?? [];
  expect(corrected).toBe(`${key}:4`);
});

test('a job whose presigned URL has expired gets another one', async () => {
  const script: Script = ({ method, path }, index) => {
    if (method === 'POST') return index === 0 ? accepted : answer(200, encodeResult);
    if (path.endsWith('/events')) return errorAnswer(404, 'not_found');
    return index < 1 ? drop : answer(200, failedView('source_not_found', { storeCode: 'RequestExpired' }));
  };
  const input = { ...encodeInput, sourceUrl: 's3://media/episode.wav' };
  const { result, failure } = await runs.run(script, input);
  expect(failure).toBeUndefined();
  expect(result).toMatchObject({ attempts: 2, outputs: [{ format: 'mp3_128' }] });
});

test('a replaced job is cancelled while the new job of its step runs', async () => {
  let [tries, isCancelled, deadlineMs] = [0, false, Infinity];
  const script: Script = ({ method, path }, index) => {
    if (method === 'POST')
      return index === 0 ? accepted : answer(202, { success: true, jobId: 'job-2', state: 'running' });
    if (path.startsWith('/jobs/job-2') && deadlineMs === Infinity) deadlineMs = Date.now() + 40_000;
    if (path.endsWith('/events')) return errorAnswer(404, 'not_found');
    if (method === 'DELETE' && path === '/jobs/job-1') {
      tries += 1;
      isCancelled ||= tries > 1 && Date.now() < deadlineMs;
    }
    if (path === '/jobs/job-1') return isCancelled ? answer(200, cancelledView) : drop;
    const jobId = 'job-2';
    const isRunning = !isCancelled && Date.now() < deadlineMs;
    if (isRunning) return answer(200, jobView(2, { jobId }));
    return answer(200, { ...succeededView, jobId, result: { ...encodeResult, jobId } });
  };
  const { result, failure } = await runs.run(script);
  expect(failure).toBeUndefined();
  expect(result).toMatchObject({ outputs: [{ format: 'mp3_128' }] });
  expect(isCancelled).toBe(true);
});

test('a replaced job is cancelled if the new request finds a finished job', async () => {
  const script: Script = ({ method, path }, index) => {
    if (method === 'POST') return index === 0 ? accepted : answer(200, { ...encodeResult, jobId: 'job-2' });
    return path.endsWith('/events') ? errorAnswer(404, 'not_found') : drop;
  };
  const { failure } = await runs.run(script);
  expect(failure).toBeUndefined();
  expect(runs.container?.requestsTo('DELETE', '/jobs/job-1').length).toBeGreaterThan(0);
});
