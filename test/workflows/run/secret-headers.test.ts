import { expect, test } from 'vitest';
import { answer, chunkResult, encodedOutput, encodeResult, metadataResult } from '../../fixtures/scripted-container.ts';
import { RunHistory } from '../../support/history.ts';
import { inTurn, useScriptedRuns } from '../../support/scripted-runs.ts';

const runs = await useScriptedRuns();
const headerVariables = new Map([['HEADER_CDN', { value: 'Bearer s3cr3t' }]]);
const headers = { Authorization: { env: 'HEADER_CDN' }, 'User-Agent': 'studio' };
const resolved = { Authorization: 'Bearer s3cr3t', 'User-Agent': 'studio' };

test('a referenced header reaches the container, and its value stays out of the history', async () => {
  const encodedFlac = { ...encodeResult, outputs: [{ ...encodedOutput, format: 'flac' }] };
  const container = await runs.start(({ path, body }) => {
    if (path === '/metadata') return answer(200, metadataResult);
    return answer(200, path === '/encode' ? encodedFlac : chunkResult(body.chunks.length));
  });
  const source = { sourceUrl: 'https://media.test/in.wav', headers };
  const encode = { ...source, outputs: [{ format: 'flac', uploadUrl: 'https://media.test/out', headers }] };
  const chunking = { ...source, chunks: [{ index: 0, uploadUrl: 'https://media.test/0', headers }] };
  await runs.time.withWorkers(
    [container.url],
    async (taskQueue) => {
      for (const [type, input] of [
        ['encode', encode],
        ['chunking', chunking],
        ['chunking', { ...source, uploadUrlPrefix: 'file:///out/' }],
      ] as const) {
        const handle = await runs.time.start(type, input, taskQueue);
        await handle.result();
        const text = (await RunHistory.of(handle)).text();
        expect(text).toContain('HEADER_CDN');
        expect(text).not.toContain('s3cr3t');
      }
    },
    { headerVariables },
  );
  const [encoded] = container.requestsTo('POST', '/encode');
  expect(encoded?.body).toMatchObject({ headers: resolved, outputs: [{ headers: resolved }] });
  const [probed] = container.requestsTo('POST', '/metadata');
  expect(probed?.body).toEqual({ sourceUrl: source.sourceUrl, headers: resolved });
  const chunked = container.requestsTo('POST', '/chunk').map(({ body }) => body);
  expect(chunked).toMatchObject([{ headers: resolved, chunks: [{ headers: resolved }] }, { headers: resolved }]);
  for (const chunk of chunked[1].chunks) expect(chunk).not.toHaveProperty('headers');
});

test('an unknown header reference and a secret in plain text fail at once with the reason', async () => {
  const outputs = [{ format: 'flac', uploadUrl: 'https://media.test/out' }];
  const source = { sourceUrl: 'https://media.test/in.wav', outputs };
  const unset = await runs.run(inTurn(answer(200, encodeResult)), { ...source, headers });
  expect(unset.failure).toMatchObject({
    type: 'InvalidRequest',
    message: 'The header Authorization refers to HEADER_CDN, which this worker does not have for this run and this URL',
  });
  const plain = await runs.run(inTurn(answer(200, encodeResult)), { ...source, headers: { Cookie: 'a=b' } });
  expect(plain.failure).toMatchObject({
    type: 'InvalidRequest',
    message: expect.stringContaining('may hold a secret in cookie'),
  });
});
