import { expect, test } from 'vitest';
import {
  accepted,
  answer,
  chunkResult,
  drop,
  encodeResult,
  errorAnswer,
  failedView,
  metadataResult,
  type Script,
} from '../../fixtures/scripted-container.ts';
import { encodeInput, useScriptedRuns } from '../../support/scripted-runs.ts';

// A worker loses contact with a job, which fails meanwhile. The next attempt follows it again.

const runs = await useScriptedRuns();

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
