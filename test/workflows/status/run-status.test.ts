import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { JobProgress } from '../../../contract/activity.ts';
import type { ChunkState } from '../../../contract/workflow/status.ts';
import { currentDetails } from '../../../workflows/status/details.ts';
import { RunStatus } from '../../../workflows/status/run-status.ts';
import { loudnessFindings } from '../../../workflows/status/subject.ts';

const startMs = Date.parse('2026-01-02T03:04:05.000Z');
let details: string;

beforeEach(() => void vi.useFakeTimers({ now: startMs }));
afterEach(() => void vi.useRealTimers());

function newStatus(): RunStatus {
  const status = new RunStatus('encode', 3600, (model) => void (details = currentDetails(model)));
  status.describe({ text: 'a.wav → mp3_128', source: 'a.wav', formats: ['mp3_128'] }, 3600);
  return status;
}

function later(seconds: number): void {
  vi.setSystemTime(Date.now() + seconds * 1000);
}

function progress(step: string, percent: number, more: Partial<JobProgress> = {}): JobProgress {
  const location = { containerUrl: 'http://user:secret@c1:8080', jobId: 'j' };
  return { step, location, phase: 'encode', percent, ...more };
}

const output = { container: 'mp3', bitrate: 128, size: 1, duration: 1, sha256: '' } as const;
const whole = { from: 0, to: 100 };

test('counts a step once that is started again', () => {
  const status = newStatus();
  for (let start = 0; start < 3; start += 1) {
    status.startStep('encode', whole);
    status.reportProgress(progress('encode', 60));
    status.endStep('encode', 'failed', 0);
  }
  status.startStep('encode', whole);
  status.reportProgress(progress('encode', 60));
  expect(status.read()).toMatchObject({ percent: 60 });
});

test('reports preparing, queueing, running and the end of a step', () => {
  const status = newStatus();
  expect(status.read()).toEqual({
    phase: 'prepare',
    state: 'queued',
    percent: 0,
    attempt: 0,
    elapsedSeconds: 0,
    budgetLeftSeconds: 3600,
  });
  expect(details).toBe('**encode** · reading the input\n\na.wav → mp3_128');

  status.startStep('encode', whole);
  status.queueAttempt('encode', 1, 0);
  expect(status.read()).toMatchObject({ phase: 'prepare', state: 'queued', percent: 0, attempt: 1 });
  expect(details).toContain('attempt 1 · waiting for a free container · 0 %');

  status.reportProgress(progress('encode', 41.26, { etaSeconds: 12.3 }));
  later(20);
  expect(status.read()).toEqual({
    phase: 'encode',
    state: 'running',
    percent: 41.3,
    attempt: 1,
    etaSeconds: 12.3,
    // The running time of a job is not lost time.
    elapsedSeconds: 0,
    budgetLeftSeconds: 3600,
  });
  expect(details).toContain('attempt 1 · encode · 41 % · about 13 s left · at c1:8080');

  const pace = { speed: 1.5, video: { frames: 100, fps: 37.5, size: 4096 } };
  status.reportProgress(progress('encode', 60, pace));
  expect(status.read()).toMatchObject({ percent: 60, ...pace });
  status.reportProgress({ ...progress('encode', 92), phase: 'verify' });
  expect(status.read()).not.toHaveProperty('video');

  status.endStep('encode', 'done', 33);
  status.complete(33, undefined);
  expect(status.read()).toEqual({
    phase: 'done',
    state: 'done',
    percent: 100,
    attempt: 1,
    elapsedSeconds: 33,
    budgetLeftSeconds: 3567,
  });
  expect(details).toContain('done after 1 attempt');
});

test('reports the loudness of its outputs before and after', () => {
  const status = newStatus();
  status.startStep('encode', whole);
  status.queueAttempt('encode', 1, 0);
  status.endStep('encode', 'done', 33);
  const source = { integrated: -24.61, truePeak: -3.2, range: 15 };
  const loudness = { integrated: -16.02, truePeak: -1.44, range: 14.8, gain: 8.59, source };
  status.setFindings(
    loudnessFindings([
      { ...output, format: 'mp3_128', loudness },
      { ...output, format: 'flac' },
    ]),
  );
  status.complete(33, undefined);
  expect(details).toMatch(/done after 1 attempt.*\n\nmp3_128: -16\.0 LUFS.* before: -24\.6 LUFS.* \+8\.6 dB$/s);
});

test('reports failure if part of the work was not done, although the run has a result', () => {
  const status = newStatus();
  status.complete(33, '2 of 10 chunks failed: unauthorized');
  expect(status.read()).toMatchObject({ phase: 'done', state: 'failed', percent: 100 });
  expect(details).toContain('2 of 10 chunks failed: unauthorized');
});

test('reports the reason and the end of a wait, which counts as elapsed time', () => {
  const status = newStatus();
  status.startStep('encode', whole);
  status.queueAttempt('encode', 3, 40);
  status.startWait('encode', { reason: 'rate_limited', seconds: 10 }, 45);
  later(4);
  expect(status.read()).toEqual({
    phase: 'prepare',
    state: 'waiting',
    percent: 0,
    attempt: 3,
    waiting: { reason: 'rate_limited', until: '2026-01-02T03:04:15.000Z', seconds: 10 },
    elapsedSeconds: 49,
    budgetLeftSeconds: 3551,
  });
  expect(details).toContain('attempt 3 · Rate limited: waiting 10 s, until 03:04:15Z · 0 %');
  later(60);
  expect(status.read().elapsedSeconds).toBe(55);
});

test('ignores the progress of a job whose attempt has ended', () => {
  const status = newStatus();
  status.startStep('encode', whole);
  status.queueAttempt('encode', 1, 0);
  status.startWait('encode', { reason: 'connection_error', seconds: 10 }, 0);
  status.reportProgress(progress('encode', 90));
  status.reportProgress(progress('unknown', 90));
  expect(status.read()).toMatchObject({ state: 'waiting', percent: 0 });
});

test('keeps phase, percent and attempt when the run is cancelled', () => {
  const status = newStatus();
  status.startStep('encode', whole);
  status.queueAttempt('encode', 2, 0);
  status.reportProgress(progress('encode', 30));
  status.cancel();
  expect(status.read()).toMatchObject({ phase: 'encode', state: 'failed', percent: 30, attempt: 2 });
  expect(details).toContain('failed on attempt 2 · cancelled');
});

test('sums the shares of consecutive steps and lists them', () => {
  const status = newStatus();
  status.startStep('encode', { from: 0, to: 80 });
  status.queueAttempt('encode', 2, 0);
  status.reportProgress(progress('encode', 50));
  expect(status.read()).toMatchObject({ percent: 40 });
  expect(status.read().steps).toBeUndefined();
  status.endStep('encode', 'done', 50);
  status.startStep('chunk', { from: 80, to: 100 });
  status.queueAttempt('chunk', 1, 0);
  expect(status.read()).toMatchObject({ phase: 'encode', state: 'queued', percent: 80, attempt: 1 });
  status.reportProgress(progress('chunk', 50, { phase: 'chunk' }));
  expect(status.read()).toMatchObject({
    phase: 'chunk',
    state: 'running',
    percent: 90,
    attempt: 1,
    elapsedSeconds: 0,
    steps: [
      { id: 'encode', phase: 'encode', state: 'done', percent: 100, attempt: 2 },
      { id: 'chunk', phase: 'chunk', state: 'running', percent: 50, attempt: 1 },
    ],
  });
});

test('starts at the share of its first step if an earlier run had the steps before', () => {
  const status = newStatus();
  status.startStep('chunk', { from: 80, to: 100 });
  status.queueAttempt('chunk', 5, 0);
  expect(status.read()).toMatchObject({ percent: 80, attempt: 5 });
});

function threeSteps(): RunStatus {
  const status = newStatus();
  for (const [index, id] of ['a', 'b', 'c'].entries()) {
    status.startStep(id, { from: index * 30, to: (index + 1) * 30 });
    status.queueAttempt(id, index + 1, index * 100);
  }
  return status;
}

test('a run is running if any step runs, else waiting if any waits, else queued', () => {
  const status = threeSteps();
  expect(status.read()).toMatchObject({ state: 'queued' });
  status.startWait('a', { reason: 'connection_error', seconds: 20 }, 10);
  expect(status.read()).toMatchObject({ state: 'waiting', attempt: 1, waiting: { seconds: 20 } });
  status.reportProgress(progress('b', 50));
  expect(status.read()).toMatchObject({ state: 'running', attempt: 2, phase: 'encode' });
  expect(status.read().waiting).toBeUndefined();
});

test('sums percent by shares, with the longest remaining time and the smallest remaining budget', () => {
  const status = threeSteps();
  status.reportProgress(progress('a', 100, { etaSeconds: 1 }));
  status.reportProgress(progress('b', 50, { etaSeconds: 30 }));
  expect(status.read()).toMatchObject({ percent: 45, etaSeconds: 30, elapsedSeconds: 200, budgetLeftSeconds: 3400 });
});

test('lists each concurrent step with percent, attempt and wait in the query and the Web UI', () => {
  const status = threeSteps();
  status.reportProgress(progress('a', 100));
  status.endStep('a', 'done', 5);
  status.reportProgress(progress('b', 10));
  status.startWait('c', { reason: 'rate_limited', seconds: 10 }, 200);
  expect(status.read().steps).toEqual([
    { id: 'a', phase: 'encode', state: 'done', percent: 100, attempt: 1 },
    { id: 'b', phase: 'encode', state: 'running', percent: 10, attempt: 2, container: 'c1:8080' },
    {
      id: 'c',
      phase: 'prepare',
      state: 'waiting',
      percent: 0,
      attempt: 3,
      waiting: { reason: 'rate_limited', until: '2026-01-02T03:04:15.000Z', seconds: 10 },
    },
  ]);
  expect(details.split('\n')).toEqual([
    '**encode** · 2 steps in progress · 33 %',
    '',
    'a.wav → mp3_128',
    '',
    '* b: attempt 2 · encode · 10 % · at c1:8080',
    '* c: attempt 3 · Rate limited: waiting 10 s, until 03:04:15Z · 0 %',
  ]);
});

test('counts the segments of a spread run without second jobs, which have no share of the progress', () => {
  const status = newStatus();
  status.startSegments(0);
  expect(status.read().spread).toEqual({ segments: 0, done: 0, running: 0, waiting: 0 });
  status.startSegments(4);
  status.restoreDone('segment-0', { from: 0, to: 20 });
  status.startStep('segment-1', { from: 20, to: 40 });
  status.queueAttempt('segment-1', 1, 0);
  status.reportProgress(progress('segment-1', 50, { etaSeconds: 3 }));
  status.startStep('segment-1b', { from: 20, to: 20 });
  status.queueAttempt('segment-1b', 1, 0);
  status.reportProgress(progress('segment-1b', 90));
  expect(status.read()).toMatchObject({ percent: 30, spread: { segments: 4, done: 1, running: 1, waiting: 0 } });
  // Other segments follow.
  expect(status.read()).not.toHaveProperty('etaSeconds');
  expect(details).toContain('1 of 4 segments encoded · 1 running · 0 waiting');
  expect(details).toContain('* segment-1b: attempt 1 · encode · 90 % · at c1:8080');
  status.endStep('segment-1', 'done', 0);
  status.forgetStep('segment-1b');
  expect(status.read()).toMatchObject({ steps: [], spread: { segments: 4, done: 2, running: 0, waiting: 0 } });
});

test('names the only step of a spread run, and estimates the time left only of the join', () => {
  const status = newStatus();
  status.startSegments(2);
  status.startStep('sound', { from: 2, to: 2 });
  status.queueAttempt('sound', 1, 0);
  status.reportProgress(progress('sound', 40, { etaSeconds: 3 }));
  expect(status.read()).toMatchObject({ steps: [{ id: 'sound', percent: 40, container: 'c1:8080' }] });
  expect(status.read()).not.toHaveProperty('etaSeconds');
  expect(details).toContain('* sound: attempt 1 · encode · 40 % · about 3 s left · at c1:8080');
  status.endStep('sound', 'done', 0);
  status.startStep('join', { from: 90, to: 100 });
  status.queueAttempt('join', 1, 0);
  status.reportProgress(progress('join', 10, { etaSeconds: 5 }));
  expect(status.read()).toMatchObject({ etaSeconds: 5 });
});

test('a failed run reports the attempt of the failed step, and no step stays in progress', () => {
  const status = threeSteps();
  status.reportProgress(progress('c', 10));
  status.endStep('b', 'failed', 7);
  status.fail('It went wrong');
  expect(status.read()).toMatchObject({ state: 'failed', attempt: 2 });
  expect(status.read().steps?.map(({ state }) => state)).toEqual(['failed', 'failed', 'failed']);
  expect(details).toContain('failed on attempt 2 · It went wrong');
});

test('chunks at a provider have their own percent, elapsed time and remaining time', () => {
  const status = newStatus();
  status.startStep('chunk', { from: 20, to: 25 });
  status.queueAttempt('chunk', 2, 0);
  status.endStep('chunk', 'done', 70);
  status.startChunks({ from: 25, to: 95 });
  expect(status.read()).toMatchObject({ percent: 25, state: 'queued' });
  const states: ChunkState[] = [{ state: 'completed' }, { state: 'pending' }];
  status.showChunks(() => ({
    chunks: states.map((state, index) => ({ index, ...state })),
    limiters: [{ key: 'a/b', degraded: false, waiting: 0, throttledUntil: 'soon', throttleReason: 'Slow down' }],
    startedAtMs: startMs,
    degraded: false,
    estimatedDelaySeconds: 42,
  }));
  later(8);
  expect(status.read()).toEqual({
    phase: 'process',
    state: 'running',
    percent: 60,
    attempt: 2,
    elapsedSeconds: 8,
    budgetLeftSeconds: 3600,
    etaSeconds: 42,
    chunks: [
      { index: 0, state: 'completed' },
      { index: 1, state: 'pending' },
    ],
    degraded: false,
    throttled: [{ provider: 'a/b', until: 'soon', reason: 'Slow down' }],
    estimatedDelaySeconds: 42,
  });
  expect(details).toContain('**encode** · processing the chunks · 60 %');
  expect(details).toContain('* chunk 0: completed');
  status.startAssembly();
  expect(status.read()).toMatchObject({ phase: 'assemble', state: 'running', percent: 60, elapsedSeconds: 70 });
  status.cancel();
  expect(status.read()).toMatchObject({ phase: 'assemble', state: 'failed', attempt: 2 });
});

test('shortens the messages of 9,900 failed chunks to fit a query result', () => {
  const status = newStatus();
  const chunks = Array.from({ length: 9_900 }, (_, index) => ({
    index,
    state: 'failed' as const,
    error: 'http_500',
    message: `Request ${index}: ${'overloaded '.repeat(50)}`,
  }));
  status.showChunks(() => ({
    chunks,
    limiters: [],
    startedAtMs: startMs,
    degraded: false,
    estimatedDelaySeconds: undefined,
  }));
  const told = status.read();
  expect(told.chunks?.[9_899]).toMatchObject({ index: 9_899, state: 'failed', error: 'http_500' });
  expect(JSON.stringify(told).length).toBeLessThan(1_900_000);
});
