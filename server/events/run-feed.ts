import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { RunRecord } from '../../client/run-record.ts';
import { listRunsPage } from '../../client/runs-page.ts';
import type { RunView } from '../../contract/server/run.ts';
import type { FileNames } from '../files/file-names.ts';
import { outsideRequest } from '../../tracing/request-id.ts';
import { withRequestDeadline } from '../request-deadline.ts';
import { isNotFound } from '../problem-error.ts';
import { findRun } from '../runs/find-run.ts';
import { listAllRuns } from '../runs/list-all-runs.ts';
import { type LiveSources, readLiveFacts } from '../runs/live-facts.ts';
import { runView } from '../runs/run-view.ts';

const pauseMs = 1_000;
/** Polling continues this long after the last viewer leaves, so that a viewer who reconnects can resume. */
const lingerMs = 30_000;
/** Elasticsearch and similar visibility stores show a change after a second or more. */
const slackMs = 10_000;
/** Limit of runs that one round looks up because no list has them any more. */
const mostLookedUp = 50;
/** Longest waits of one round; later answers enter the next round. */
const waits = { statusMs: 500, reasonsMs: 500 };
const mostPages = 5;
/** Number of changes that can be replayed. */
const mostKept = 2_000;

export interface RunChange {
  id: string;
  run: RunView;
}

export interface RunFeedOptions extends LiveSources {
  client: Client;
  taskQueue: string;
  names: FileNames;
  log: Logger;
}

/** Changes among all runs. Temporal is polled once a second for all viewers together, and not at all without viewers. */
export class RunFeed {
  readonly #options: RunFeedOptions;
  readonly #listeners = new Set<(change: RunChange) => void>();
  readonly #stopped = new AbortController();
  /** Identifies one period of polling. Changes between two periods are unknown. */
  #epoch = '';
  #count = 0;
  #kept: RunChange[] = [];
  /** Last sent view of each run as JSON, by run id. */
  #told = new Map<string, string>();
  /** Workflow ids of runs that were active, by run id, until a list or a lookup has their end. */
  #open = new Map<string, string>();
  /**
   * Latest start or end among the runs read so far. Temporal's clock, which may differ from this one by minutes, has
   * passed it.
   */
  #newestMs: number | undefined;
  #leftAtMs = 0;
  #started: Promise<void> | undefined;

  constructor(options: RunFeedOptions) {
    this.#options = options;
  }

  /** Calls `onChange` for each change until the returned function is called. */
  subscribe(onChange: (change: RunChange) => void): () => void {
    this.#listeners.add(onChange);
    return () => {
      this.#listeners.delete(onChange);
      this.#leftAtMs = performance.now();
    };
  }

  /** Starts polling. Every change after the returned id is reported. */
  async start(): Promise<string> {
    this.#started ??= this.#begin();
    await this.#started;
    return this.#idOf(this.#count);
  }

  /** Changes after the given id; undefined if the id is unknown or too old. */
  since(id: string): RunChange[] | undefined {
    const [epoch, count = ''] = id.split('-');
    if (epoch !== this.#epoch || !/^\d{1,15}$/.test(count) || Number(count) > this.#count) return undefined;
    const missed = this.#count - Number(count);
    if (missed === 0) return [];
    return missed > this.#kept.length ? undefined : this.#kept.slice(-missed);
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #begin(): Promise<void> {
    this.#epoch = randomBytes(6).toString('hex');
    [this.#count, this.#kept, this.#told, this.#newestMs] = [0, [], new Map(), undefined];
    this.#open = new Map();
    this.#leftAtMs = performance.now();
    try {
      for (const view of await this.#readInTime()) this.#told.set(view.runId, JSON.stringify(view));
    } catch (error) {
      this.#started = undefined;
      throw error;
    }
    void outsideRequest(() => this.#poll());
  }

  async #poll(): Promise<void> {
    let isBroken = false;
    while (!this.#isIdle()) {
      await delay(pauseMs, undefined, { signal: this.#stopped.signal, ref: false }).catch(() => undefined);
      if (this.#stopped.signal.aborted) return;
      try {
        this.#tell(await this.#readInTime());
        isBroken = false;
      } catch (error) {
        // Viewers stay connected; the next round reports what this round missed.
        if (!isBroken)
          this.#options.log.warn({ error: (error as Error).message }, 'Temporal does not list runs at the moment');
        isBroken = true;
      }
    }
    this.#started = undefined;
  }

  #isIdle(): boolean {
    return this.#listeners.size === 0 && performance.now() - this.#leftAtMs > lingerMs;
  }

  async #readInTime(): Promise<RunView[]> {
    return await withRequestDeadline(this.#options.client, () => this.#read());
  }

  /** All active runs and those that ended last. */
  async #read(): Promise<RunView[]> {
    const { client, taskQueue, names } = this.#options;
    const listed = await this.#readEnded();
    const active = await listAllRuns(client, { taskQueue, state: 'active' }, mostPages);
    const ended = [...listed, ...(await this.#lookUpUnlisted([...listed, ...active]))];
    for (const { runId } of ended) this.#open.delete(runId);
    for (const { runId, workflowId } of active) this.#open.set(runId, workflowId);
    const times = [...listed, ...active].map(({ startedAt, endedAt = startedAt }) => endedAt.getTime());
    this.#newestMs = Math.max(this.#newestMs ?? 0, ...times);
    const byRunId = new Map([...active, ...ended].map((record) => [record.runId, record]));
    // Of several runs of an id, viewers show the last one that is reported.
    const records = [...byRunId.values()].toSorted((a, b) => a.startedAt.getTime() - b.startedAt.getTime());
    const factsOf = await readLiveFacts(records, this.#options, waits);
    return records.map((record) => runView(record, factsOf(record), names));
  }

  /** The first read needs only the newest run, since viewers get the earlier ones in their list. */
  async #readEnded(): Promise<RunRecord[]> {
    const { client, taskQueue } = this.#options;
    const newestMs = this.#newestMs;
    if (newestMs === undefined) return (await listRunsPage(client, { taskQueue, state: 'ended', limit: 1 })).runs;
    const endedSince = new Date(Math.max(0, newestMs - slackMs));
    return await listAllRuns(client, { taskQueue, state: 'ended', endedSince }, mostPages);
  }

  /**
   * Runs that were active, that no list has any more, and that have ended. A run ends between the two lists, or its end
   * becomes visible so late that the list of ended runs begins after it.
   */
  async #lookUpUnlisted(listed: readonly RunRecord[]): Promise<RunRecord[]> {
    const { client, taskQueue } = this.#options;
    const runIds = new Set(listed.map(({ runId }) => runId));
    const unlisted = [...this.#open].filter(([runId]) => !runIds.has(runId)).slice(0, mostLookedUp);
    const found = await Promise.all(
      unlisted.map(async ([runId, workflowId]) =>
        findRun(client, taskQueue, workflowId, { owner: undefined }, runId).catch(undefinedIfGone),
      ),
    );
    // The list of active runs brings back a run that is still open.
    for (const [runId] of unlisted) this.#open.delete(runId);
    return found.flatMap((run) => (run?.record.ending === undefined ? [] : [run.record]));
  }

  #tell(views: readonly RunView[]): void {
    const told = new Map<string, string>();
    for (const run of views) {
      const text = JSON.stringify(run);
      told.set(run.runId, text);
      if (this.#told.get(run.runId) === text) continue;
      this.#count += 1;
      const change = { id: this.#idOf(this.#count), run };
      this.#kept.push(change);
      for (const listener of this.#listeners) listener(change);
    }
    this.#kept = this.#kept.slice(-mostKept);
    this.#told = told;
  }

  #idOf(count: number): string {
    return `${this.#epoch}-${count}`;
  }
}

function undefinedIfGone(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}
