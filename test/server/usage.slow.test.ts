import { copyFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import type { EstimateView } from '../../contract/server/estimate.ts';
import type { RunDetails } from '../../contract/server/run.ts';
import type { UsageView } from '../../contract/server/usage.ts';
import type { EncodeOutcome } from '../../contract/workflow/encode.ts';
import { speechWav } from '../support/media.ts';
import { TestServer } from '../support/server.ts';
import { TestStack } from '../support/stack.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

const stack = await stopAfterAll(TestStack.start());
const server = await stopAfterAll(
  TestServer.start({ TEMPORAL_ADDRESS: stack.temporal.address, PRICE_PER_GB_OUT: '1000' }),
);
await copyFile(speechWav, join(stack.container.mediaRoot, 'talk.wav'));

function file(name: string): string {
  return pathToFileURL(join(stack.container.mediaRoot, name)).href;
}

async function encode(source: string, owner: string): Promise<RunDetails> {
  const input = { sourceUrl: file(source), outputs: [{ format: 'mp3_64', uploadUrl: file(`${source}.mp3`) }] };
  const { body } = await server.post('/api/runs', { workflow: 'encode', input, owner });
  return await server.process.until('end of the run', async () => {
    const run = (await server.get(`/api/runs/${encodeURIComponent(body.id)}`)).body as RunDetails;
    return run.endedAt !== undefined && run;
  });
}

/** Days, owners and numbers of these runs. Runs that end around midnight are of two days. */
function rowsOf(runs: readonly RunDetails[]): string[] {
  const rows = Map.groupBy(runs, ({ endedAt = '', owner }) => `${endedAt.slice(0, 10)},${owner}`);
  return [...rows].map(([row, those]) => `${row},${those.length}`).toSorted();
}

const rowsIn = ({ rows }: UsageView): string[] =>
  rows.map(({ day, owner, runs }) => `${day},${owner},${runs}`).toSorted();

test('the usage of ended runs is summed by day and owner, as JSON and as CSV', async () => {
  const done = await encode('talk.wav', 'anna');
  const { usage } = done;
  expect(usage).toMatchObject({ jobs: 1, bytesIn: (await stat(speechWav)).size, currency: 'USD' });
  expect(usage?.cpuSeconds).toBeGreaterThan(0);
  expect(usage?.cost).toBeCloseTo((usage?.bytesOut ?? 0) / 1e6, 5);
  const failed = await encode('missing.wav', 'anna');
  expect(failed).toMatchObject({ state: 'failed', usage: { jobs: 1, bytesIn: 0, bytesOut: 0 } });
  const bens = await encode('talk.wav', 'ben');

  const [from, to] = [done, bens].map(({ endedAt = '' }) => endedAt.slice(0, 10));
  const path = `/api/usage?from=${from}&to=${to}`;
  const all = await server.process.until('all runs', async () => {
    const { body } = await server.get(path);
    return (body as UsageView).total.runs === 3 && (body as UsageView);
  });
  expect(rowsIn(all)).toEqual(rowsOf([done, failed, bens]));
  const annas = (await server.get(`${path}&owner=anna`)).body as UsageView;
  expect(rowsIn(annas)).toEqual(rowsOf([done, failed]));
  expect(annas).toMatchObject({
    complete: true,
    currency: 'USD',
    total: { runs: 2, unmeasured: 0, bytesOut: usage?.bytesOut, cost: usage?.cost },
  });
  const { headers, body } = await server.get(`${path}&owner=anna&format=csv`);
  expect(headers['content-type']).toBe('text/csv; charset=utf-8');
  expect(headers['content-disposition']).toBe(`attachment; filename=usage-${from}-${to}.csv`);
  for (const row of rowsIn(annas)) expect(body).toContain(`\r\n${row},0,`);
});

test('estimates a run and its cost from past runs of the same kind', async () => {
  const { result, usage } = await encode('talk.wav', 'carla');
  const { source, outputs } = result as EncodeOutcome;
  const ask = async (facts: object, format = 'mp3_64') =>
    await server.post('/api/estimate', { source: { duration: source.duration, ...facts }, outputs: [{ format }] });
  const own = await server.process.until('the past run in the list', async () => {
    const { body } = await ask({ sampleRate: source.sampleRate });
    return body.runs > 0 && (body as EstimateView);
  });
  expect(own.seconds).toBeGreaterThan(0);
  expect(own.sizes).toEqual([outputs[0]?.size]);
  expect(own).toMatchObject({ cost: usage?.cost, currency: 'USD' });
  expect((await ask({ sampleRate: 11_025 })).body).toEqual({ runs: 0 });
  expect((await ask({}, 'mp3_32')).body).toEqual({ runs: 0 });
});

test.each([
  [{ source: { duration: 0 }, outputs: [{ format: 'mp3_64' }] }, 'source.duration'],
  [{ source: { duration: 1 }, outputs: [] }, 'outputs'],
  [{ source: { duration: 1 }, outputs: [{ perset: 'podcast-aac' }] }, 'outputs.0.format'],
])('the estimate of %j is refused with the wrong field', async (body, path) => {
  const answer = await server.post('/api/estimate', body);
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request', errors: [{ path }] } });
});

test.each([
  ['from=2026-11-31', 'must be a day, such as 2026-11-27'],
  ['from=2026-11-02&to=2026-11-01', 'The first day, 2026-11-02, is after the last day, 2026-11-01.'],
  ['days=7', 'days'],
])('%s is refused with a sentence', async (query, words) => {
  const answer = await server.get(`/api/usage?${query}`);
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  expect(JSON.stringify(answer.body)).toContain(words);
});
