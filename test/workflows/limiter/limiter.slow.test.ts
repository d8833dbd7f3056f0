import { expect, test, vi } from 'vitest';
import { growHistory, type Handle, ProcessingRuns } from '../../support/processing-runs.ts';
import type { TestLimiter } from '../../support/limiter.ts';
import { type LimiterStats, limiterSignals } from '../../../contract/limiter.ts';
import { ProcessingOutcome } from '../../../contract/workflow/processing.ts';
import { oneWord, rateLimitAnswer, type TranscriptionServer } from '../../fixtures/transcription-server.ts';
import { useProviderSetup } from '../../support/provider-setup.ts';
import { matrixTest } from '../../support/rows.ts';
import { ClockRanAway } from '../../support/time-skipping.ts';

// The real limiter, runs and workers on a time-skipping clock. The limiter's history shows what it did.

const { time, server, folder } = await useProviderSetup();

/** Limits that no test meets unless it sets them lower. */
const wide = { requestsPerMinute: 100_000, requestsPerHour: 1_000_000, burstLimit: 10_000 };
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/**
 * The first call exceeds its key's daily limit. The concurrent calls end only once the limiter knows: a call that ended
 * earlier would free its permit for another.
 */
function overTheDay(): { isKnown(): void; script: TranscriptionServer['script'] } {
  let isKnown = (): void => {};
  const after = new Promise<void>((resolve) => (isKnown = resolve));
  return {
    isKnown: () => isKnown(),
    script(call) {
      if (call.number === 0) return rateLimitAnswer('Tokens per day limit exceeded');
      return call.number < 5 ? { ...oneWord(call), after } : oneWord(call);
    },
  };
}

async function throttledStats(limiter: { stats(): Promise<LimiterStats> }, isKnown: () => void): Promise<LimiterStats> {
  await vi.waitUntil(async () => server.calls.length > 0 && (await limiter.stats()).throttled, patience);
  isKnown();
  return await limiter.stats();
}

/** Starts over if the clock of the test server fails. */
async function withRuns(
  environment: string,
  limits: Record<string, object>,
  body: (runs: ProcessingRuns) => Promise<void>,
  throttled?: string,
): Promise<void> {
  for (;;) {
    try {
      return await ProcessingRuns.with(
        { time, folder, providerUrl: server.url, environment, limits, ...(throttled !== undefined && { throttled }) },
        body,
      );
    } catch (error) {
      if (!(error instanceof ClockRanAway || (await time.clockRanAway()))) throw error;
      console.warn(`${environment}: the clock of the test server ran away; another one is started`);
      await time.restart();
    }
  }
}

/** Fails a test that would hang; every awaited condition is met much sooner. */
const patience = { timeout: 100_000 };

async function outcomesOf(handles: Handle[]): Promise<ProcessingOutcome[]> {
  return (await time.results(handles)).map((result) => ProcessingOutcome.parse(result));
}

const completed = { status: 'completed' };

test('three runs with 60 chunks get five permits at a time and 50 per minute, in order of arrival', async () => {
  await withRuns('minute', { 'test/model': {} }, async (runs) => {
    server.reset(oneWord);
    const handles = await Promise.all(['a', 'b', 'c'].map((name) => runs.start(name, 'test/model', 20)));
    expect(await outcomesOf(handles)).toMatchObject([completed, completed, completed]);
    const record = await runs.limiter('test/model').record();
    // One grant per chunk: no run continued without the limiter.
    expect(record.granted).toHaveLength(60);
    expect(record.grantedInOrder).toEqual(record.requested);
    expect(record.mostInUse).toBe(5);
    expect(server.mostInFlight).toBeLessThanOrEqual(5);
    expect(record.mostWithin(minuteMs)).toBe(50);
  });
});

matrixTest('three runs keep the hourly limit over several hours', async () => {
  await withRuns('hour', { 'test/model': { ...wide, requestsPerHour: 16 } }, async (runs) => {
    server.reset(oneWord);
    const handles = await Promise.all(['a', 'b', 'c'].map((name) => runs.start(name, 'test/model', 13)));
    expect(await outcomesOf(handles)).toMatchObject([completed, completed, completed]);
    const record = await runs.limiter('test/model').record();
    expect(record.granted).toHaveLength(39);
    expect(record.grantedInOrder).toEqual(record.requested);
    expect(record.mostInUse).toBe(5);
    expect(record.mostWithin(hourMs)).toBe(16);
  });
});

test('a holder whose workflow has closed loses its permits and requests at once', async () => {
  await withRuns('found-dead', { 'test/model': wide }, async (runs) => {
    server.reset(oneWord);
    const limiter = runs.limiter('test/model');
    const { handle: dead, holder } = await runs.idleHolder();
    await dead.terminate();
    const requests = Array.from({ length: 9 }, (_, index) => `${index}.1`);
    await limiter.send({ from: holder, requests });
    await vi.waitUntil(async () => (await limiter.stats()).waiting === 0, patience);
    const alive = await runs.start('alive', 'test/model', 6);
    expect(await outcomesOf([alive])).toMatchObject([completed]);
    const record = await limiter.record();
    const lapseMs = (record.grantsOf(alive.workflowId)[0]?.atMs ?? Infinity) - (record.granted[0]?.atMs ?? 0);
    expect(lapseMs).toBeLessThan(2 * minuteMs);
  });
});

test('a key throttled for a day delays no other key, and its rate limit uses no attempt', async () => {
  const body = async (runs: ProcessingRuns) => {
    const { isKnown, script } = overTheDay();
    server.reset(script);
    const daily = await runs.start('daily', 'test/daily', 8);
    const { throttle_until, throttle_reason } = await throttledStats(runs.limiter('test/daily'), isKnown);
    expect(throttle_reason).toBe('Tokens per day limit exceeded');
    const throttledUntilMs = Date.parse(throttle_until ?? '');
    const other = await runs.start('other', 'test/other', 12);
    expect(await outcomesOf([other])).toMatchObject([completed]);
    const otherRecord = await runs.limiter('test/other').record();
    expect(otherRecord.granted.at(-1)?.atMs).toBeLessThan(throttledUntilMs - dayMs + minuteMs);

    const [outcome] = await outcomesOf([daily]);
    expect(outcome?.chunks?.map(({ status, attempts }) => [status, attempts])).toEqual(
      Array.from({ length: 8 }, () => ['completed', 1]),
    );
    const { granted } = await runs.limiter('test/daily').record();
    // Five permits were granted before the error arrived, and none until the day was over.
    const early = granted.filter(({ atMs }) => atMs < throttledUntilMs);
    expect(early.length).toBeLessThanOrEqual(5);
    expect(early.every(({ atMs }) => atMs < throttledUntilMs - dayMs + 1)).toBe(true);
    expect(granted).toHaveLength(8 + 1);
  };
  await withRuns('day', { 'test/daily': wide, 'test/other': wide }, body, 'test/daily');
});

test('a throttled key continues at once when an operator resumes it', async () => {
  const body = async (runs: ProcessingRuns) => {
    const { isKnown, script } = overTheDay();
    server.reset(script);
    const limiter = runs.limiter('test/daily');
    const run = await runs.start('run', 'test/daily', 8);
    await throttledStats(limiter, isKnown);
    await limiter.handle.signal(limiterSignals.resume);
    const [outcome] = await outcomesOf([run]);
    expect(outcome?.chunks?.every(({ status, attempts }) => status === 'completed' && attempts === 1)).toBe(true);
    const { granted } = await limiter.record();
    expect((granted.at(-1)?.atMs ?? Infinity) - (granted[0]?.atMs ?? 0)).toBeLessThan(minuteMs);
  };
  await withRuns('resume', { 'test/daily': wide }, body, 'test/daily');
});

test('a run uses its second key while the first is throttled, and the first again afterwards', async () => {
  const body = async (runs: ProcessingRuns) => {
    const { isKnown, script } = overTheDay();
    server.reset(script);
    const [daily, second] = [runs.limiter('test/daily'), runs.limiter('test/second')];
    const keys = ['test/daily', 'test/second'];
    const run = await runs.start('throttled', keys, 12);
    await throttledStats(daily, isKnown);
    const [outcome] = await outcomesOf([run]);
    expect(outcome?.chunks?.every(({ status, attempts }) => status === 'completed' && attempts === 1)).toBe(true);
    // One of the five calls at the first key was refused.
    const atSecond = outcome?.chunks?.filter(({ provider }) => provider === 'test/second').length ?? 0;
    expect(atSecond).toBeGreaterThanOrEqual(12 - 4);
    const { granted } = await second.record();
    expect(granted).toHaveLength(atSecond);
    const { throttled, throttle_until } = await daily.stats();
    expect(throttled).toBe(true);
    expect(granted.at(-1)?.atMs).toBeLessThan(Date.parse(throttle_until ?? '') - dayMs + minuteMs);

    await daily.handle.signal(limiterSignals.resume);
    const [after] = await outcomesOf([await runs.start('open', keys, 3)]);
    expect(after?.chunks?.map(({ provider }) => provider)).toEqual(['test/daily', 'test/daily', 'test/daily']);
  };
  await withRuns('fallback', { 'test/daily': wide, 'test/second': wide }, body, 'test/daily');
});

const unavailable = { kind: 'answer', status: 503, body: { error: { message: 'Unavailable' } } } as const;
const forbidden = { kind: 'answer', status: 403, body: { error: { message: 'Forbidden' } } } as const;

test.each([false, true])(
  'a chunk that both keys forbid is called once at each, however long it waits (continued as new: %s)',
  async (isContinued) => {
    await withRuns(`forbidden-${isContinued}`, { 'test/first': wide, 'test/second': wide }, async (runs) => {
      server.reset(() => forbidden);
      await suspend(runs.limiter('test/second'), 400);
      const run = await runs.start('run', ['test/first', 'test/second'], 1);
      if (isContinued) {
        await vi.waitUntil(async () => (await runs.limiter('test/second').stats()).waiting === 1, patience);
        await growHistory(run, 2_100);
      }
      const [outcome] = await outcomesOf([run]);
      expect(outcome?.chunks).toMatchObject([{ error: 'unauthorized', attempts: 1, provider: 'test/second' }]);
      expect(server.calls.map(({ fields }) => fields['model'])).toEqual(['first', 'second']);
    });
  },
);

test('a chunk that its first key forbids never returns to that key, even after attempts at the second', async () => {
  await withRuns('forbidden-once', { 'test/first': wide, 'test/second': wide }, async (runs) => {
    const isDown = ({ number }: { number: number }) => number < 3;
    server.reset((call) => (call.number === 0 ? forbidden : isDown(call) ? unavailable : oneWord(call)));
    await suspend(runs.limiter('test/second'), 295);
    const [outcome] = await outcomesOf([await runs.start('run', ['test/first', 'test/second'], 1)]);
    expect(outcome).toMatchObject(completed);
    expect(server.calls.map(({ fields }) => fields['model'])).toEqual(['first', 'second', 'second', 'second']);
  });
});

test('a chunk that its only key forbids fails at once, even if the key is throttled for a day', async () => {
  const body = async (runs: ProcessingRuns) => {
    const { isKnown, script } = overTheDay();
    server.reset((call) => (call.number === 1 ? { ...script(call), ...forbidden } : script(call)));
    const run = await runs.start('run', 'test/daily', 2);
    await throttledStats(runs.limiter('test/daily'), isKnown);
    const [outcome] = await outcomesOf([run]);
    expect(outcome).toMatchObject({ status: 'partial', failedChunks: 1 });
    expect(server.calls).toHaveLength(3);
  };
  await withRuns('forbidden-day', { 'test/daily': wide }, body, 'test/daily');
});

test.each([false, true])(
  'chunks return to a key when its suspension for their run ends, which no limiter reports (continued as new: %s)',
  async (isContinued) => {
    await withRuns(`return-${isContinued}`, { 'test/first': wide, 'test/second': wide }, async (runs) => {
      const answered = Promise.withResolvers<void>();
      server.reset((call) => {
        if (call.number === 0) return forbidden;
        return call.number < 5 ? { ...oneWord(call), after: answered.promise } : oneWord(call);
      });
      await suspend(runs.limiter('test/second'), 3_600);
      const run = await runs.start('run', ['test/first', 'test/second'], 8);
      await vi.waitUntil(async () => (await runs.limiter('test/second').stats()).waiting === 4, patience);
      if (isContinued) await growHistory(run, 2_100);
      answered.resolve();
      const [outcome] = await outcomesOf([run]);
      expect(outcome).toMatchObject(completed);
      const others = outcome?.chunks?.filter(({ index }) => index !== server.calls[0]?.index);
      expect(new Set(others?.map(({ provider }) => provider))).toEqual(new Set(['test/first']));
    });
  },
);

test('a rate limit of the key does not end its suspension for the run', async () => {
  const body = async (runs: ProcessingRuns) => {
    const second = runs.limiter('test/second');
    const isSuspended = Promise.withResolvers<void>();
    server.reset((call) => {
      if (call.number === 0) return forbidden;
      if (call.number > 1) return oneWord(call);
      return { ...rateLimitAnswer('requests per second limit exceeded'), after: isSuspended.promise };
    });
    await suspend(second, 200);
    const run = await runs.start('run', ['test/first', 'test/second'], 2);
    await vi.waitUntil(async () => (await second.stats()).waiting === 1, patience);
    isSuspended.resolve();
    expect(await outcomesOf([run])).toMatchObject([completed]);
    expect(server.calls.map(({ fields }) => fields['model'])).toEqual(['first', 'first', 'second', 'second']);
  };
  await withRuns('apart', { 'test/first': wide, 'test/second': wide }, body, 'test/first');
});

test('chunks in the queue of an open key keep their places when the suspension of a better key ends', async () => {
  const limits = { 'test/first': wide, 'test/second': { ...wide, requestsPerHour: 2 } };
  await withRuns('keep-places', limits, async (runs) => {
    server.reset((call) => (call.number === 0 ? forbidden : oneWord(call)));
    const [outcome] = await outcomesOf([await runs.start('run', ['test/first', 'test/second'], 8)]);
    expect(outcome).toMatchObject(completed);
    const atSecond = outcome?.chunks?.filter(({ provider }) => provider === 'test/second') ?? [];
    expect(atSecond.length).toBeGreaterThan(3);
  });
});

/** Suspends a key as an operator does. */
async function suspend(limiter: TestLimiter, seconds: number): Promise<void> {
  await limiter.send({ from: { workflowId: 'none', firstRunId: 'none' }, leaves: true });
  await limiter.handle.signal(limiterSignals.throttle, { seconds, reason: 'maintenance' });
}

test('runs with a known rejected key fail without a call, and succeed once an operator resumes the key', async () => {
  await withRuns('refused', { 'test/model': wide, 'test/second': wide }, async (runs) => {
    const refuse = () => ({ kind: 'answer', status: 401, body: { error: { message: 'Incorrect API key' } } }) as const;
    server.reset(refuse);
    const unauthorized = { status: 'failed', failedChunks: 8 };
    expect(await outcomesOf([await runs.start('first', 'test/model', 8)])).toMatchObject([unauthorized]);
    const limiter = runs.limiter('test/model');
    expect(await limiter.stats()).toMatchObject({
      throttled: true,
      throttle_reason: 'unauthorized: Incorrect API key',
    });
    server.reset(oneWord);
    expect(await outcomesOf([await runs.start('second', 'test/model', 8)])).toMatchObject([unauthorized]);
    expect(server.calls).toHaveLength(0);
    const [other] = await outcomesOf([await runs.start('other', ['test/model', 'test/second'], 8)]);
    expect(other).toMatchObject({ status: 'completed', failedChunks: 0 });
    expect(new Set(other?.chunks?.map(({ provider }) => provider))).toEqual(new Set(['test/second']));

    await limiter.handle.signal(limiterSignals.resume);
    expect(await outcomesOf([await runs.start('third', 'test/model', 8)])).toMatchObject([completed]);
  });
});

test('a limit above the workers’ slots grants one permit per call', async () => {
  const limits = { 'test/model': { ...wide, maxConcurrent: 50, permitSeconds: 75 } };
  await withRuns('slots', limits, async (runs) => {
    const answered = Promise.withResolvers<void>();
    server.reset((call) => ({ ...oneWord(call), after: answered.promise }));
    const run = await runs.start('run', 'test/model', 50);
    const limiter = runs.limiter('test/model');
    await vi.waitUntil(() => server.inFlight === 5, patience);
    const details = await limiter.details();
    expect(details).toMatchObject({ slots: 5, stats: { permits_in_use: 5, waiting: 45, max_concurrent: 50 } });
    answered.resolve();
    expect(await outcomesOf([run])).toMatchObject([completed]);
    expect(server.calls).toHaveLength(50);
    expect((await limiter.record()).granted).toHaveLength(50);
    expect((await limiter.stats()).requests_last_hour).toBe(50);
  });
});
