import { CancellationScope, condition, log, sleep } from '@temporalio/workflow';
import type { ChunkState } from '../../contract/workflow/status.ts';
import type { ProviderPolicy } from '../../contract/provider.ts';
import type { ProviderCall } from '../../contract/provider-call.ts';
import {
  type AttemptOutcome,
  type CallOutcome,
  type LostCall,
  mayHaveArrived,
} from '../limiter/client/call-outcome.ts';
import { type Grant, type PermitsState, type PermitWatch, RunPermits } from '../limiter/client/run-permits.ts';
import { historyIsLong } from '../run/long-history.ts';
import { callUnderPermit } from './call-under-permit.ts';
import {
  type ChunkTask,
  newChunkTask,
  type OpenChunkTask,
  recordAttempt,
  recordForbidden,
  recordLostCall,
} from './chunk-task.ts';
import { packTasks, type PackedTasks, unpackTasks } from './packed-tasks.ts';
import { viewProcessing } from './processing-view.ts';
import { chunksAtOnce } from './chunks-at-once.ts';
import type { Run } from '../run/run.ts';
import { providerMetrics } from '../status/counters.ts';
import { clockTime } from '../status/wait-text.ts';

export type ChunkToProcess = Pick<
  ProviderCall,
  'index' | 'url' | 'duration' | 'answerUrl' | 'setId' | 'voices' | 'vocabulary' | 'translate' | 'size' | 'sha256'
>;

/** State that survives continuing as new. */
export interface ProcessingState {
  tasks: PackedTasks | ChunkTask[];
  limiters?: PermitsState;
  startedAtMs: number;
  /** Moving average of a call's duration. */
  callMs?: number;
}

/** Events, about 200 chunks. A short history lets another worker take over quickly. */
const maxEvents = 2_000;

/** Processes the chunks of a run concurrently: each waits for a permit, calls its provider and retries after a backoff. */
export class ChunkProcessing {
  readonly #chunks: readonly ChunkToProcess[];
  readonly #providers: ProviderPolicy[];
  readonly #run: Pick<Run, 'key' | 'status' | 'priority' | 'used'>;
  readonly #permits: RunPermits;
  readonly #state: Omit<ProcessingState, 'tasks'> & { tasks: ChunkTask[] };
  /** Current wait or call of each open chunk, by index. */
  readonly #current = new Map<number, ChunkState>();
  readonly #suspension = Promise.withResolvers<void>();
  #next = 0;
  #running = false;
  #showing = false;
  #suspended = false;

  constructor(
    chunks: readonly ChunkToProcess[],
    providers: ProviderPolicy[],
    run: Pick<Run, 'key' | 'status' | 'priority' | 'used'>,
    state: ProcessingState,
  ) {
    this.#chunks = chunks;
    this.#providers = providers;
    this.#run = run;
    this.#state = { ...state, tasks: unpackTasks(state.tasks) };
    this.#permits = new RunPermits(run.key, providers, () => this.#show(), state.limiters);
  }

  /** Returns the tasks when none is open. If the history grows too long first, all calls end and the run continues as new. */
  async run(continueAsNew: (state: ProcessingState) => Promise<never>): Promise<ChunkTask[]> {
    this.#running = true;
    this.#show();
    const lanes = Promise.all(Array.from({ length: chunksAtOnce(this.#providers) }, () => this.#lane()));
    let limiters: PermitsState | undefined;
    try {
      const end = await Promise.race([
        lanes.then(() => 'completed' as const),
        condition(() => historyIsLong(maxEvents)).then(() => 'long_history' as const),
      ]);
      if (end === 'long_history') {
        this.#suspend();
        // Each lane records the outcome of its call before it returns.
        await lanes;
        limiters = await this.#permits.handOver();
      }
    } catch (error) {
      this.#running = false;
      // Without this, the permits would stay in use until they expire.
      await CancellationScope.nonCancellable(() => this.#permits.leave());
      throw error;
    }
    if (limiters !== undefined) return continueAsNew({ ...this.#state, tasks: packTasks(this.#state.tasks), limiters });
    await this.#permits.leave();
    this.#running = false;
    return this.#state.tasks;
  }

  /** Ends waits for permits and backoffs; calls in progress finish. */
  #suspend(): void {
    this.#suspended = true;
    this.#suspension.resolve();
    this.#permits.suspend();
  }

  async #lane(): Promise<void> {
    while (!this.#suspended) {
      const chunk = this.#chunks[this.#next];
      if (chunk === undefined) return;
      this.#next += 1;
      for (let task = this.#task(chunk); task.kind === 'open' && !this.#suspended; task = this.#task(chunk)) {
        await this.#attempt(chunk, task);
      }
    }
  }

  #task({ index }: ChunkToProcess): ChunkTask {
    return this.#state.tasks[index] ?? newChunkTask;
  }

  #openTask(index: number): OpenChunkTask {
    const task = this.#state.tasks[index];
    return task?.kind === 'open' ? task : newChunkTask;
  }

  async #attempt(chunk: ChunkToProcess, task: OpenChunkTask): Promise<void> {
    const { index } = chunk;
    if (task.backoff !== undefined) {
      await this.#waitForBackoff(index, task.attempts, task.backoff);
      if (this.#suspended) return;
      const { backoff: _, ...waited } = task;
      this.#state.tasks[index] = waited;
    }
    const attempt = task.attempts + 1;
    this.#setCurrent(index, { state: 'waiting_for_permit', attempt });
    const ended = await this.#permits.withPermit(
      `${index}.${attempt}`,
      (grant) => this.#call(chunk, attempt, grant),
      this.#watchPermit(index, attempt),
    );
    if (ended !== undefined) this.#record(index, ended.key, ended.outcome);
  }

  #watchPermit(index: number, attempt: number): PermitWatch {
    const waited = new Set<string>();
    return {
      isForbidden: (key) => this.#openTask(index).forbidden?.includes(key) === true,
      onWaiting: (key) => {
        // Logged and counted once per key, however often the request moves between keys.
        if (!waited.has(key)) {
          providerMetrics.countWait(key, 'permit');
          const facts = { chunk: index, runAttempt: attempt, provider: key };
          log.info(`Chunk ${index} waits for a permit of ${key}`, facts);
        }
        waited.add(key);
        this.#setCurrent(index, { state: 'waiting_for_permit', attempt });
      },
      onGranted: ({ provider, degraded }) => {
        if (!degraded) providerMetrics.countPermit(provider.key);
      },
    };
  }

  async #waitForBackoff(
    index: number,
    attempts: number,
    { untilMs, error }: NonNullable<OpenChunkTask['backoff']>,
  ): Promise<void> {
    const until = new Date(untilMs).toISOString();
    this.#setCurrent(index, { state: 'backoff', attempt: attempts, until, error });
    const summary = `Chunk ${index}: ${error}, attempt ${attempts + 1} at ${clockTime(untilMs)}`;
    await Promise.race([sleep(Math.max(1, untilMs - Date.now()), { summary }), this.#suspension.promise]);
  }

  async #call(chunk: ChunkToProcess, attempt: number, grant: Grant): Promise<CallOutcome> {
    const { index } = chunk;
    const { key } = grant.provider;
    this.#setCurrent(index, { state: 'processing', attempt, provider: key });
    const facts = { chunk: index, runAttempt: attempt, provider: key, degraded: grant.degraded };
    log.info(`Processing chunk ${index} at ${key}, attempt ${attempt}`, facts);
    const startedAtMs = Date.now();
    const outcome = await callUnderPermit(chunk, grant, {
      summary: `Chunk ${index}, attempt ${attempt}: ${key}`,
      priority: this.#run.priority.current,
    });
    const answeredSeconds = outcome.kind === 'ok' ? chunk.duration : undefined;
    if (mayHaveArrived(outcome)) {
      providerMetrics.countCost(key, this.#run.used.addCall(grant.provider, answeredSeconds));
    }
    switch (outcome.kind) {
      case 'ok':
        this.#recordDuration(Date.now() - startedAtMs);
        log.info(`Processed chunk ${index} at ${key}`, facts);
        return outcome;
      case 'rate_limited': {
        providerMetrics.countRateLimit(key);
        const { message, retryAfterSeconds } = outcome;
        log.warn(`Rate limited at ${key} with chunk ${index}: ${message}`, { ...facts, retryAfterSeconds });
        return outcome;
      }
      case 'failed': {
        const { error, message, fault } = outcome;
        if (error === 'timeout') providerMetrics.countTimeout(key);
        const what = fault === 'worker' ? 'could not be processed' : `failed at ${key}, attempt ${attempt}`;
        log.warn(`Chunk ${index} ${what}: ${message}`, { ...facts, error });
        return outcome;
      }
      case 'unauthorized':
        if (outcome.forbidden === true) this.#state.tasks[index] = recordForbidden(this.#openTask(index), key);
        log.warn(`${key} refused chunk ${index} and takes no more calls: ${outcome.message}`, facts);
        return outcome;
      case 'held_back':
      case 'unused':
        log.info(`Chunk ${index} returns to the queue: ${outcome.message}`, facts);
        return outcome;
      case 'lost':
        return this.#recordLostCall(index, key, outcome);
    }
  }

  #recordLostCall(index: number, key: string, outcome: LostCall): CallOutcome {
    const { task, ended } = recordLostCall(this.#openTask(index), outcome);
    const { lost } = task;
    this.#state.tasks[index] = task;
    log.warn(`The worker of chunk ${index} was lost (${outcome.message}); the chunk returns to the queue`, {
      chunk: index,
      provider: key,
      lost,
    });
    return ended;
  }

  #record(index: number, provider: string, outcome: AttemptOutcome): void {
    const policy = this.#providers.find(({ key }) => key === provider);
    if (policy === undefined) return;
    const { backoff } = policy;
    const nowMs = Date.now();
    const task = recordAttempt(this.#openTask(index), {
      outcome,
      provider,
      backoff,
      nowMs,
      random: () => Math.random(),
    });
    this.#state.tasks[index] = task;
    if (task.kind === 'failed') {
      const { attempts, error, message } = task;
      log.warn(`Chunk ${index} failed after ${attempts} attempt(s): ${error}`, { chunk: index, error, message });
    }
    if (task.kind === 'open' && task.backoff !== undefined && outcome.kind !== 'ok') {
      const { untilMs, error } = task.backoff;
      const seconds = (untilMs - nowMs) / 1000;
      providerMetrics.countWait(provider, 'backoff');
      const facts = { chunk: index, provider, seconds, error, message: outcome.message };
      log.info(`Retrying chunk ${index} in ${seconds}s, after attempt ${task.attempts}: ${error}`, facts);
    }
    this.#current.delete(index);
    this.#show();
  }

  #recordDuration(ms: number): void {
    const before = this.#state.callMs;
    this.#state.callMs = before === undefined ? ms : before * 0.8 + ms * 0.2;
  }

  #setCurrent(index: number, state: ChunkState): void {
    this.#current.set(index, state);
    this.#show();
  }

  #show(): void {
    // A limiter's first update may arrive before `run` is called.
    if (!this.#running || this.#showing) return;
    this.#showing = true;
    void this.#showSoon();
  }

  /** Shows the view once per turn, because many chunks change in a turn and each view visits all of them. */
  async #showSoon(): Promise<void> {
    await Promise.resolve();
    this.#showing = false;
    if (!this.#running) return;
    this.#run.status.showChunks(() =>
      viewProcessing({
        nowMs: Date.now(),
        startedAtMs: this.#state.startedAtMs,
        chunks: this.#chunks,
        tasks: this.#state.tasks,
        current: this.#current,
        limiters: this.#permits.view(),
        provider: this.#providers[0],
        callMs: this.#state.callMs,
      }),
    );
  }
}
