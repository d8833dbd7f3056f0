import { CancellationScope, condition, log, sleep } from '@temporalio/workflow';
import type { ChunkState } from '../../contract/workflow/status.ts';
import type { ProviderPolicy } from '../../contract/provider.ts';
import { createPermits } from '../limiter/client/run-permits.ts';
import type { Called, CallEnd, Permits, PermitsState, Grant } from '../limiter/client/permits.ts';
import { historyIsLong } from '../run/long-history.ts';
import { type AttemptEnd, chunkStep } from './chunk-step.ts';
import { runDelaySeconds } from './run-delay.ts';
import { providerCall } from './provider-call.ts';
import { providerMetrics } from './provider-metrics.ts';
import type { ProcessingView } from '../status/run-model.ts';
import type { RunStatus } from '../status/run-status.ts';
import { clockTime } from '../status/wait-text.ts';

/** What a chunk is to those who have it processed. */
export interface ChunkToProcess {
  index: number;
  url: string;
  /** bytes */
  size: number;
  /** seconds */
  duration: number;
  /** Where the provider's answer goes. */
  answerUrl: string;
}

/** What of a chunk outlives the run's continuing as new. */
export type ChunkTask =
  | {
      kind: 'open';
      /** that have failed */
      attempts: number;
      /** calls whose worker died */
      lost: number;
      /** ms of the epoch; set while it waits for its next attempt */
      backoff?: { untilMs: number; error: string };
    }
  | { kind: 'completed'; attempts: number; provider?: string }
  | { kind: 'failed'; attempts: number; provider?: string; error: string; message: string };

export interface ProcessingState {
  /** One for each chunk, in their order. */
  tasks: ChunkTask[];
  limiters?: PermitsState;
  startedAtMs: number;
  /** What a call has taken so far, on the average. */
  callMs?: number;
}

type OpenTask = Extract<ChunkTask, { kind: 'open' }>;

/** What a call left for its chunk, where it came out of the limiter as `ok` or `failed`. */
type CallResult = Extract<AttemptEnd, { kind: 'ok' | 'failed' }>;

/** A chunk that has cost this many workers their life is the cause of it. */
const maxLostCalls = 10;

/** A short history is soon read again by a worker that takes over; some 200 chunks. */
const maxEvents = 2_000;

/** Chunks of one run that stand at the limiter or beyond: enough for every permit, and little enough to list and to take along. */
function chunksAtOnce(providers: readonly ProviderPolicy[]): number {
  const permits = providers.reduce((sum, { limits }) => sum + limits.maxConcurrent, 0);
  return Math.min(200, Math.max(20, 2 * permits));
}

/** The chunks of one run, side by side, each from waiting for its permit to its end. */
export class ChunkProcessing {
  readonly #chunks: readonly ChunkToProcess[];
  readonly #providers: ProviderPolicy[];
  readonly #board: RunStatus;
  readonly #limiters: Permits;
  readonly #state: ProcessingState;
  /** What is only so while a call or a wait of this run goes on. */
  readonly #now = new Map<number, ChunkState>();
  #next = 0;
  #running = false;
  #showing = false;
  #suspending = false;

  constructor(
    chunks: readonly ChunkToProcess[],
    providers: ProviderPolicy[],
    board: RunStatus,
    state: ProcessingState,
  ) {
    this.#chunks = chunks;
    this.#providers = providers;
    this.#board = board;
    this.#state = { ...state, tasks: [...state.tasks] };
    this.#limiters = createPermits(providers, () => this.#show(), state.limiters);
  }

  /** Where the history grows too long, all calls are brought to their end and the rest is left to `continueAsNew`. */
  async run(continueAsNew: (state: ProcessingState) => Promise<never>): Promise<ChunkTask[]> {
    this.#running = true;
    this.#show();
    const lanes = Promise.all(Array.from({ length: chunksAtOnce(this.#providers) }, () => this.#lane()));
    let end: 'all' | 'long_history';
    try {
      end = await Promise.race([
        lanes.then(() => 'all' as const),
        condition(() => historyIsLong(maxEvents)).then(() => 'long_history' as const),
      ]);
    } catch (error) {
      this.#running = false;
      // The limiters would else keep its permits for whoever has none.
      await CancellationScope.nonCancellable(() => this.#limiters.leave());
      throw error;
    }
    if (end === 'all') {
      await this.#limiters.leave();
      this.#running = false;
      return this.#state.tasks;
    }
    this.#suspending = true;
    lanes.catch(() => undefined);
    const limiters = await this.#limiters.suspend();
    await turns();
    return continueAsNew({ ...this.#state, limiters });
  }

  async #lane(): Promise<void> {
    while (!this.#suspending) {
      const chunk = this.#chunks[this.#next];
      if (chunk === undefined) return;
      this.#next += 1;
      for (let task = this.#task(chunk); task.kind === 'open' && !this.#suspending; task = this.#task(chunk)) {
        await this.#attempt(chunk, task);
      }
    }
  }

  #task({ index }: ChunkToProcess): ChunkTask {
    return this.#state.tasks[index] ?? { kind: 'open', attempts: 0, lost: 0 };
  }

  async #attempt(chunk: ChunkToProcess, task: OpenTask): Promise<void> {
    const { index } = chunk;
    if (task.backoff !== undefined) await this.#backoff(index, task);
    const attempt = task.attempts + 1;
    this.#become(index, { state: 'waiting_for_permit', attempt });
    const waited = new Set<string>();
    const end = await this.#limiters.withPermit<CallResult>(
      `${index}.${attempt}`,
      (grant) => this.#call(chunk, attempt, grant),
      {
        waiting: (key) => {
          // Once for each wait, however often the limiter tells of it.
          if (!waited.has(key)) {
            providerMetrics.wait(key, 'permit');
            log.info(`Chunk ${index} waits for a permit of ${key}`, {
              chunk: index,
              runAttempt: attempt,
              provider: key,
            });
          }
          waited.add(key);
          this.#become(index, { state: 'waiting_for_permit', attempt });
        },
        granted: ({ provider, degraded }) => {
          if (!degraded) providerMetrics.permit(provider.key);
        },
      },
    );
    this.#decide(index, attempt, end);
  }

  async #backoff(index: number, { attempts, lost, backoff }: OpenTask): Promise<void> {
    if (backoff === undefined) return;
    const { untilMs, error } = backoff;
    this.#become(index, { state: 'backoff', attempt: attempts, until: new Date(untilMs).toISOString(), error });
    const ms = Math.max(1, untilMs - Date.now());
    await sleep(ms, { summary: `Chunk ${index}: ${error}, attempt ${attempts + 1} at ${clockTime(untilMs)}` });
    this.#state.tasks[index] = { kind: 'open', attempts, lost };
  }

  async #call(chunk: ChunkToProcess, attempt: number, grant: Grant): Promise<Called<CallResult>> {
    const { index } = chunk;
    const { key } = grant.provider;
    this.#become(index, { state: 'processing', attempt, provider: key });
    const facts = { chunk: index, runAttempt: attempt, provider: key, degraded: grant.degraded };
    log.info(`Processing chunk ${index} at ${key}, attempt ${attempt}`, facts);
    const startedAtMs = Date.now();
    const end = await providerCall(chunk, grant, `Chunk ${index}, attempt ${attempt}: ${key}`);
    switch (end.kind) {
      case 'ok':
        this.#took(Date.now() - startedAtMs);
        log.info(`Processed chunk ${index} at ${key}`, facts);
        return { kind: 'ok', result: { kind: 'ok' } };
      case 'rate_limited': {
        providerMetrics.rateLimit(key);
        const { message, retryAfterSeconds } = end;
        log.warn(`Rate limited at ${key} with chunk ${index}: ${message}`, { ...facts, retryAfterSeconds });
        return { kind: 'rate_limited', message, retryAfterSeconds };
      }
      case 'failed': {
        if (end.error === 'timeout') providerMetrics.timeout(key);
        log.warn(`Chunk ${index} failed at ${key}, attempt ${attempt}: ${end.message}`, { ...facts, error: end.error });
        return { kind: 'failed', message: end.message, result: { ...end, kind: 'failed' } };
      }
      case 'not_stored':
        log.warn(`Chunk ${index} could not be processed: ${end.message}`, { ...facts, error: end.error });
        // The provider's breaker has nothing to do with our storage.
        return { kind: 'not_judged', result: { ...end, kind: 'failed' } };
      case 'unused':
        log.info(`Chunk ${index} goes back to the queue: ${end.message}`, facts);
        return { kind: 'unused' };
      case 'lost':
        return this.#lost(index, key, end.reason);
    }
  }

  #lost(index: number, key: string, reason: string): Called<CallResult> {
    const task = this.#state.tasks[index];
    const lost = (task?.kind === 'open' ? task.lost : 0) + 1;
    if (task?.kind === 'open') this.#state.tasks[index] = { ...task, lost };
    log.warn(`The worker of chunk ${index} was lost (${reason}); the chunk goes back to the queue`, {
      chunk: index,
      provider: key,
      lost,
    });
    if (lost < maxLostCalls) return { kind: 'unused' };
    const message = `${lost} workers were lost while they processed it`;
    return { kind: 'not_judged', result: { kind: 'failed', error: 'worker_lost', message, again: false } };
  }

  #decide(index: number, attempt: number, end: CallEnd<CallResult>): void {
    const provider = end.key;
    const policy = this.#providers.find(({ key }) => key === provider) ?? this.#providers[0];
    if (policy === undefined) return;
    const ended = end.kind === 'rate_limited' ? end : end.result;
    const step = chunkStep(ended, attempt, policy.backoff, () => Math.random());
    switch (step.kind) {
      case 'completed':
        this.#state.tasks[index] = { kind: 'completed', attempts: attempt, provider };
        break;
      case 'failed':
        log.warn(`Chunk ${index} failed after ${attempt} attempt(s): ${step.error}`, { chunk: index, ...step });
        this.#state.tasks[index] = { ...step, kind: 'failed', attempts: attempt, provider };
        break;
      case 'backoff': {
        const { seconds, error } = step;
        providerMetrics.wait(provider, 'backoff');
        log.info(`Retrying chunk ${index} in ${seconds}s, after attempt ${attempt}: ${error}`, {
          chunk: index,
          ...step,
        });
        const lost = this.#lostCalls(index);
        this.#state.tasks[index] = {
          kind: 'open',
          attempts: attempt,
          lost,
          backoff: { untilMs: Date.now() + Math.round(seconds * 1000), error },
        };
      }
    }
    this.#now.delete(index);
    this.#show();
  }

  #lostCalls(index: number): number {
    const task = this.#state.tasks[index];
    return task?.kind === 'open' ? task.lost : 0;
  }

  #took(ms: number): void {
    const before = this.#state.callMs;
    this.#state.callMs = before === undefined ? ms : before * 0.8 + ms * 0.2;
  }

  #become(index: number, state: ChunkState): void {
    this.#now.set(index, state);
    this.#show();
  }

  #show(): void {
    // The limiters may have something to say before there is anything of ours to show.
    if (!this.#running || this.#showing) return;
    this.#showing = true;
    void this.#showSoon();
  }

  /** Many chunks change in one turn, and each view goes through all of them. */
  async #showSoon(): Promise<void> {
    await Promise.resolve();
    this.#showing = false;
    if (this.#running) this.#board.showChunks(() => this.#view());
  }

  #view(): ProcessingView {
    const chunks = this.#chunks.map(({ index }) => ({ index, ...this.#stateOf(index) }));
    const views = this.#limiters.view();
    const nowMs = Date.now();
    const count = (state: ChunkState['state']) => chunks.filter((chunk) => chunk.state === state).length;
    // Of the others at a limiter nothing is known yet.
    const told = views.reduce((sum, view) => sum + (view.lastGrantAt === undefined ? 0 : view.waiting), 0);
    const timesMs = (times: (string | undefined)[]) =>
      times.flatMap((time) => (time === undefined ? [] : [Date.parse(time)]));
    const backoffs = chunks.flatMap((chunk) => (chunk.state === 'backoff' ? [chunk.until] : []));
    const throttled = timesMs(views.map(({ throttledUntil }) => throttledUntil));
    const [first] = this.#providers;
    const estimatedDelaySeconds =
      first === undefined
        ? undefined
        : runDelaySeconds({
            nowMs,
            limits: first.limits,
            callMs: this.#state.callMs ?? first.timeoutSeconds * 250,
            notAsked: count('pending') + Math.max(0, count('waiting_for_permit') - told) + backoffs.length,
            inCall: count('processing'),
            lastGrantAtMs: latest(timesMs(views.map(({ lastGrantAt }) => lastGrantAt))),
            backoffUntilMs: latest(timesMs(backoffs)),
            // One key that is open is enough.
            throttledUntilMs: throttled.length === views.length ? earliest(throttled) : undefined,
          });
    return {
      chunks,
      limiters: views,
      startedAtMs: this.#state.startedAtMs,
      degraded: views.some(({ degraded }) => degraded),
      estimatedDelaySeconds,
    };
  }

  #stateOf(index: number): ChunkState {
    const task = this.#state.tasks[index];
    switch (task?.kind) {
      case 'completed':
        return { state: 'completed' };
      case 'failed':
        return { state: 'failed', error: task.error, message: task.message };
      case 'open':
      case undefined:
        return this.#now.get(index) ?? { state: 'pending' };
    }
  }
}

function latest(timesMs: readonly number[]): number | undefined {
  return timesMs.length === 0 ? undefined : Math.max(...timesMs);
}

function earliest(timesMs: readonly number[]): number | undefined {
  return timesMs.length === 0 ? undefined : Math.min(...timesMs);
}

/** What came out of the last call is written down by its own lane, a few turns of the microtask queue later. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
}
