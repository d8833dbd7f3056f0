import { expect, test, vi } from 'vitest';
import type { WorkflowStatus } from '../../../contract/workflow/status.ts';
import { oneWord, rateLimitAnswer } from '../../fixtures/transcription-server.ts';
import { growHistory, type Handle, ProcessingRuns } from '../../support/processing-runs.ts';
import { useProviderSetup } from '../../support/provider-setup.ts';

const { time, server, folder } = await useProviderSetup({ skipsTime: false });

/** Fails a test that would hang; every awaited condition is met much sooner. */
const patience = { timeout: 100_000 };

async function chunkStates(handle: Handle): Promise<string[]> {
  const { chunks = [] } = await handle.query<WorkflowStatus>('status');
  return chunks.map(({ state }) => state);
}

test('a run that continues as new first lets its calls end, then resumes its backoffs and queued requests', async () => {
  const [limited, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const backoffSeconds = 10;
  server.reset((call) => {
    if (call.index !== 0) return { ...oneWord(call), after: released.promise };
    if (call.attempt > 1) return oneWord(call);
    return { ...rateLimitAnswer('Slow down', { 'retry-after': String(backoffSeconds) }), after: limited.promise };
  });
  const limits = { 'test/model': { maxConcurrent: 2, requestsPerMinute: 100_000, burstLimit: 10_000 } };
  const setup = { time, folder, providerUrl: server.url, environment: 'run-continues', limits };
  await ProcessingRuns.with(setup, async (runs) => {
    const handle = await runs.start('run', 'test/model', 6);
    await vi.waitUntil(() => server.inFlight === 2, patience);
    // Far below the run's limit, because each signal may cause a workflow task of three more events.
    await growHistory(handle, 1_000);
    limited.resolve();
    const waiting = ['waiting_for_permit', 'waiting_for_permit', 'waiting_for_permit'];
    await vi.waitUntil(async () => (await chunkStates(handle))[2] === 'processing', patience);
    expect(await chunkStates(handle)).toEqual(['backoff', 'processing', 'processing', ...waiting]);

    await growHistory(handle, 2_100);
    // A query is answered after all earlier signals, so the run is suspended by then.
    await chunkStates(handle);
    expect((await handle.describe()).runId).toBe(handle.firstExecutionRunId);
    released.resolve();
    const [outcome] = await time.results([handle]);
    expect((await handle.describe()).runId).not.toBe(handle.firstExecutionRunId);
    expect(outcome).toMatchObject({
      status: 'completed',
      chunks: [2, 1, 1, 1, 1, 1].map((attempts) => ({ attempts })),
    });
    expect(server.calls.map(({ index }) => index).toSorted((a, b) => a - b)).toEqual([0, 0, 1, 2, 3, 4, 5]);
    const [first, second] = server.callsOf(0);
    expect((second?.startedAtMs ?? 0) - (first?.startedAtMs ?? 0)).toBeGreaterThanOrEqual(backoffSeconds * 1000);
  });
});
