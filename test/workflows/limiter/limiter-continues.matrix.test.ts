import { expect, test, vi } from 'vitest';
import { limiterSignals } from '../../../contract/limiter.ts';
import { transcription, type TranscriptionReply } from '../../fixtures/transcription-server.ts';
import { ProcessingRuns } from '../../support/processing-runs.ts';
import { useProviderSetup } from '../../support/provider-setup.ts';

const { time, server, folder } = await useProviderSetup({ script: answerLater, skipsTime: false });

let answer = () => {};
const answered = new Promise<void>((resolve) => (answer = resolve));
function answerLater(): TranscriptionReply {
  return { kind: 'answer', body: transcription([{ start: 0, end: 1, text: 'word' }]), after: answered };
}

test('a limiter that continues as new under load loses no request and no permit', { timeout: 240_000 }, async () => {
  const limits = { requestsPerMinute: 100_000, requestsPerHour: 1_000_000, burstLimit: 10_000 };
  const setup = { time, folder, providerUrl: server.url, environment: 'continues', limits: { 'test/model': limits } };
  await ProcessingRuns.with(setup, async (runs) => {
    const limiter = runs.limiter('test/model');
    const handles = await Promise.all(['a', 'b', 'c'].map((name) => runs.start(name, 'test/model', 34)));
    await vi.waitUntil(async () => server.inFlight === 5 && (await limiter.stats()).waiting === 55, {
      timeout: 100_000,
    });
    const { runId } = await limiter.handle.describe();
    for (let run = await limiter.handle.describe(); run.runId === runId && run.historyLength <= 3_000;) {
      await Promise.all(Array.from({ length: 50 }, () => limiter.handle.signal(limiterSignals.setLimits, {})));
      run = await limiter.handle.describe();
    }
    await vi.waitUntil(async () => (await limiter.handle.describe()).runId !== runId, { timeout: 100_000 });
    answer();
    const results = await time.results(handles);
    expect(results).toMatchObject(handles.map(() => ({ status: 'completed' })));

    const record = await limiter.record();
    expect(record.handedOn).toEqual([{ waiting: 55, permits: 5 }]);
    expect(record.granted).toHaveLength(102);
    expect(record.grantedInOrder).toEqual(record.requested);
    expect(record.mostInUse).toBe(5);
    expect(server.mostInFlight).toBe(5);
    expect((await limiter.stats()).requests_last_hour).toBe(102);
  });
});
