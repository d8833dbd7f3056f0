import type { LimiterView } from '../../contract/limiter.ts';
import type { ProviderPolicy } from '../../contract/provider.ts';
import type { ChunkState } from '../../contract/workflow/status.ts';
import type { ProcessingView } from '../status/run-model.ts';
import type { ChunkTask } from './chunk-task.ts';
import { runDelaySeconds } from './run-delay.ts';

export interface ProcessingFacts {
  nowMs: number;
  startedAtMs: number;
  chunks: readonly { index: number }[];
  tasks: readonly ChunkTask[];
  /** Current wait or call of each open chunk, by index. */
  current: ReadonlyMap<number, ChunkState>;
  limiters: LimiterView[];
  /** The preferred provider; its limits set the pace of chunks that no limiter has queued yet. */
  provider: ProviderPolicy | undefined;
  /** Moving average of a call's duration. */
  callMs: number | undefined;
}

export function viewProcessing(facts: ProcessingFacts): ProcessingView {
  const { tasks, current, limiters, startedAtMs } = facts;
  const chunks = facts.chunks.map((chunk) => viewChunk(chunk, tasks[chunk.index], current.get(chunk.index)));
  return {
    chunks,
    limiters,
    startedAtMs,
    degraded: limiters.some(({ degraded }) => degraded),
    estimatedDelaySeconds: estimateDelaySeconds(chunks, facts),
  };
}

/** Last view of each chunk, and the task or state that it shows. A run of 10,000 chunks changes a few at a time. */
const viewed = new WeakMap<
  object,
  { shows: ChunkTask | ChunkState | undefined; view: ProcessingView['chunks'][number] }
>();

function viewChunk(chunk: { index: number }, task: ChunkTask | undefined, current: ChunkState | undefined) {
  const shows = task?.kind === 'completed' || task?.kind === 'failed' ? task : current;
  const last = viewed.get(chunk);
  if (last !== undefined && last.shows === shows) return last.view;
  const view = { index: chunk.index, ...stateOf(task, current) };
  viewed.set(chunk, { shows, view });
  return view;
}

function stateOf(task: ChunkTask | undefined, current: ChunkState | undefined): ChunkState {
  switch (task?.kind) {
    case 'completed':
      return { state: 'completed' };
    case 'failed':
      return { state: 'failed', error: task.error, message: task.message };
    case 'open':
    case undefined:
      return current ?? { state: 'pending' };
  }
}

/** Assumed duration of a call before any has ended, as a share of its time limit. */
const presumedPartOfTimeout = 0.25;

function estimateDelaySeconds(
  chunks: readonly ChunkState[],
  { nowMs, limiters, provider, callMs }: ProcessingFacts,
): number | undefined {
  if (provider === undefined) return undefined;
  const count = (state: ChunkState['state']) => chunks.filter((chunk) => chunk.state === state).length;
  // A limiter that has responded reports when it expects to grant the requests in its queue.
  const answered = limiters.reduce((sum, view) => sum + (view.lastGrantAt === undefined ? 0 : view.waiting), 0);
  const backoffs = chunks.flatMap((chunk) => (chunk.state === 'backoff' ? [chunk.until] : []));
  const throttledUntilMs = parseTimesMs(limiters.map(({ throttledUntil }) => throttledUntil));
  return runDelaySeconds({
    nowMs,
    limits: provider.limits,
    callMs: callMs ?? provider.timeoutSeconds * 1000 * presumedPartOfTimeout,
    notAsked: count('pending') + Math.max(0, count('waiting_for_permit') - answered) + backoffs.length,
    inCall: count('processing'),
    lastGrantAtMs: maxOf(parseTimesMs(limiters.map(({ lastGrantAt }) => lastGrantAt))),
    backoffUntilMs: maxOf(parseTimesMs(backoffs)),
    // The run waits for a throttle only if all keys are throttled.
    throttledUntilMs: throttledUntilMs.length === limiters.length ? minOf(throttledUntilMs) : undefined,
  });
}

function parseTimesMs(times: readonly (string | undefined)[]): number[] {
  return times.flatMap((time) => (time === undefined ? [] : [Date.parse(time)]));
}

function maxOf(numbers: readonly number[]): number | undefined {
  return numbers.length === 0 ? undefined : Math.max(...numbers);
}

function minOf(numbers: readonly number[]): number | undefined {
  return numbers.length === 0 ? undefined : Math.min(...numbers);
}
