import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import pMap from 'p-map';
import type { RunRecord } from '../../client/run-record.ts';
import { listRunsPage } from '../../client/runs-page.ts';
import type { QueuePlace } from '../../contract/server/queue.ts';
import { withRequestDeadline } from '../request-deadline.ts';
import type { LiveStatuses } from '../runs/live-statuses.ts';
import { readPresence, type Presence, type Work } from './containers.ts';
import { PollerAges } from './poller-ages.ts';
import { expectedStarts, steadyStart } from './expected-starts.ts';
import { OldestRuns } from './oldest-runs.ts';
import { type PendingStep, readPendingSteps } from '../runs/pending-steps.ts';
import type { WorkTimes } from './work-times.ts';

const freshMs = 1_000;
/** Age limit for a working run, whose phase and percent change all the time. */
const workFreshMs = 2_000;
/** Age limit for a queued run, which moves only if its priority changes or its attempt fails. */
const placeFreshMs = 3_000;
/** Number of queued runs that are read, the oldest ones; later runs have no place. */
const mostQueued = 1_000;
const requestsAtOnce = 8;

export interface LineView {
  places: ReadonlyMap<string, QueuePlace>;
  work: Work[];
  presence: Presence;
  typicalSeconds: number | undefined;
}

interface Known {
  state: RunRecord['state'];
  steps: PendingStep[];
  readAtMs: number;
}

/** Queued runs in their order, and working runs. Temporal is asked at most once a second for all callers. */
export class Line {
  readonly #client: Client;
  readonly #pollerAges = new PollerAges();
  readonly #taskQueue: string;
  readonly #statuses: LiveStatuses;
  readonly #times: WorkTimes;
  readonly #queued: OldestRuns;
  readonly #steps = new Map<string, Known>();
  #view: LineView | undefined;
  #viewedAtMs = -Infinity;
  #reading: Promise<LineView> | undefined;

  constructor(client: Client, taskQueue: string, statuses: LiveStatuses, times: WorkTimes) {
    this.#client = client;
    this.#taskQueue = taskQueue;
    this.#statuses = statuses;
    this.#times = times;
    this.#queued = new OldestRuns(
      async (filter) => await listRunsPage(client, { taskQueue, state: 'queued', limit: mostQueued, ...filter }),
      mostQueued,
    );
  }

  async read(): Promise<LineView> {
    if (this.#view !== undefined && performance.now() - this.#viewedAtMs < freshMs) return this.#view;
    this.#reading ??= this.#renew().finally(() => (this.#reading = undefined));
    return await this.#reading;
  }

  /** Places by run id. Waits at most `mostMs`, then returns the previous places. */
  async places(mostMs: number): Promise<LineView['places']> {
    const late = delay(mostMs, undefined, { ref: false });
    // If Temporal fails here, the caller's own request reports it.
    const view = await Promise.race([this.read().catch(() => undefined), late]);
    return (view ?? this.#view)?.places ?? new Map();
  }

  async #renew(): Promise<LineView> {
    const view = await withRequestDeadline(this.#client, () => this.#ask());
    [this.#view, this.#viewedAtMs] = [view, performance.now()];
    return view;
  }

  async #ask(): Promise<LineView> {
    const [queued, { runs: running }, presence, typicalSeconds] = await Promise.all([
      this.#queued.read(),
      listRunsPage(this.#client, { taskQueue: this.#taskQueue, state: 'running', limit: mostQueued }),
      readPresence(this.#client, this.#taskQueue, this.#pollerAges),
      this.#times.typicalSeconds(),
    ]);
    // A run that was queued in an earlier read may be running now.
    const all = [...new Map([...queued, ...running].map((run) => [run.runId, run])).values()];
    await this.#readSteps(all);
    const work = all.flatMap((run) =>
      this.#stepsOf(run).flatMap((step) => (step.kind === 'working' ? [{ run, step }] : [])),
    );
    const free = await this.#freeInSeconds(work, presence);
    const order = lineOf(all.map((run) => ({ run, steps: this.#stepsOf(run) })));
    return { places: this.#placesOf(order, free, typicalSeconds), work, presence, typicalSeconds };
  }

  async #readSteps(runs: readonly RunRecord[]): Promise<void> {
    const nowMs = performance.now();
    const runIds = new Set(runs.map(({ runId }) => runId));
    for (const runId of this.#steps.keys()) if (!runIds.has(runId)) this.#steps.delete(runId);
    // A longer queue is refreshed less often.
    const queuedFreshMs = Math.max(placeFreshMs, runs.length * 50);
    const old = runs.filter(({ runId, state }) => {
      const known = this.#steps.get(runId);
      if (known === undefined || known.state !== state) return true;
      const stands = known.steps.some(({ kind }) => kind === 'queued');
      return nowMs - known.readAtMs > (stands ? queuedFreshMs : workFreshMs);
    });
    await pMap(
      old,
      async ({ workflowId, runId, state }) => {
        const steps = await readPendingSteps(this.#client, workflowId, runId);
        this.#steps.set(runId, { state, steps, readAtMs: performance.now() });
      },
      { concurrency: requestsAtOnce },
    );
  }

  #stepsOf({ runId }: RunRecord): PendingStep[] {
    return this.#steps.get(runId)?.steps ?? [];
  }

  /** Seconds until each container is free. */
  async #freeInSeconds(work: readonly Work[], { containers }: Presence): Promise<(number | undefined)[]> {
    const live = await this.#statuses.read(
      work.map(({ run }) => run),
      0,
    );
    const busy = work.map(({ run }) => live.get(run.runId)?.etaSeconds);
    const ready = Math.max(0, containers.length - work.length);
    return [...busy, ...Array.from({ length: ready }, () => 0)];
  }

  #placesOf(
    order: readonly RunRecord[],
    free: readonly (number | undefined)[],
    typicalSeconds: number | undefined,
  ): Map<string, QueuePlace> {
    const nowMs = Date.now();
    const starts = expectedStarts(order.length, free, typicalSeconds);
    const places = order.map(({ runId }, index): [string, QueuePlace] => {
      const seconds = starts[index];
      if (seconds === undefined) return [runId, { position: index + 1 }];
      const before = this.#view?.places.get(runId)?.expectedStartAt;
      return [
        runId,
        { position: index + 1, expectedStartAt: steadyStart(before, nowMs + Math.round(seconds * 1000), nowMs) },
      ];
    });
    return new Map(places);
  }
}

/** Queued runs in Temporal's order: by priority, then by arrival. Runs that no worker has started come last. */
export function lineOf(runs: readonly { run: RunRecord; steps: readonly PendingStep[] }[]): RunRecord[] {
  const places = runs.flatMap(({ run, steps }) => {
    const queued = steps.flatMap((step) => (step.kind === 'queued' ? [step] : []));
    const [first] = queued.toSorted((a, b) => a.priority - b.priority || a.scheduledMs - b.scheduledMs);
    if (first !== undefined) return [{ run, priority: first.priority, sinceMs: first.scheduledMs }];
    // No worker has scheduled its first step yet.
    return run.state === 'queued' && steps.length === 0
      ? [{ run, priority: Infinity, sinceMs: run.startedAt.getTime() }]
      : [];
  });
  return places
    .toSorted((a, b) => (a.priority === b.priority ? a.sinceMs - b.sinceMs : a.priority - b.priority))
    .map(({ run }) => run);
}
