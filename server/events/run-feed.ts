import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { RunRecord } from '../../client/run-record.ts';
import { listRunsPage } from '../../client/runs-page.ts';
import type { RunView } from '../../contract/server/run.ts';
import type { FileNames } from '../files/file-names.ts';
import { withRequestDeadline } from '../request-deadline.ts';
import type { Line } from '../queue/line.ts';
import type { LiveStatuses } from '../runs/live-statuses.ts';
import { runView } from '../runs/run-view.ts';

const pauseMs = 1_000;
/** Where nobody looks any more: a viewer whose connection broke comes back within that. */
const lingerMs = 30_000;
/** Stores other than SQL show a change a second or more after it. */
const slackMs = 10_000;
/** A round does not wait longer for what workers tell; the next has it. */
const statusWaitMs = 500;
const pageSize = 1_000;
const mostPages = 5;
/** Changes that can be sent again. */
const mostKept = 2_000;

/** A run that has changed, as it is now. */
export interface RunChange {
  id: string;
  run: RunView;
}

export interface RunFeedOptions {
  client: Client;
  taskQueue: string;
  statuses: LiveStatuses;
  line: Line;
  names: FileNames;
  log: Logger;
}

/** What changes among all runs: one round of questions to Temporal a second for all viewers, and none while there is no viewer. */
export class RunFeed {
  readonly #options: RunFeedOptions;
  readonly #listeners = new Set<(change: RunChange) => void>();
  readonly #stopped = new AbortController();
  /** Of this time of polling: what happened between two of them nobody has seen. */
  #epoch = '';
  #count = 0;
  #kept: RunChange[] = [];
  /** What was last told of a run, by its run id. */
  #told = new Map<string, string>();
  #leftAtMs = 0;
  #started: Promise<void> | undefined;

  constructor(options: RunFeedOptions) {
    this.#options = options;
  }

  /** Called with each change from now on, until the returned function is called. */
  subscribe(onChange: (change: RunChange) => void): () => void {
    this.#listeners.add(onChange);
    return () => {
      this.#listeners.delete(onChange);
      this.#leftAtMs = performance.now();
    };
  }

  /** Resolves when every change from then on is noticed: to the id of the last one before. */
  async start(): Promise<string> {
    this.#started ??= this.#begin();
    await this.#started;
    return this.#idOf(this.#count);
  }

  /** The changes after that one; undefined where they are not known. */
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
    [this.#count, this.#kept, this.#told] = [0, [], new Map()];
    this.#leftAtMs = performance.now();
    try {
      for (const view of await this.#readInTime()) this.#told.set(view.runId, JSON.stringify(view));
    } catch (error) {
      this.#started = undefined;
      throw error;
    }
    void this.#poll();
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
        // Viewers keep their connection: the next round has what this one lacks.
        if (!isBroken)
          this.#options.log.warn({ error: (error as Error).message }, 'Runs cannot be watched at the moment');
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

  /** All runs under way, and those that ended a moment ago. */
  async #read(): Promise<RunView[]> {
    const endedSince = new Date(Date.now() - slackMs - pauseMs);
    // First, so that a run which ends in between is found as ended by the next round and not missed by both.
    const ended = await this.#list({ state: 'ended', endedSince });
    const active = await this.#list({ state: 'active' });
    const { statuses, line, names } = this.#options;
    const isLine = active.some(({ state }) => state === 'queued');
    const [live, places] = await Promise.all([
      statuses.read(active, statusWaitMs),
      isLine ? line.places(statusWaitMs) : undefined,
    ]);
    const byRunId = new Map([...active, ...ended].map((record) => [record.runId, record]));
    return [...byRunId.values()].map((record) =>
      runView(record, { status: live.get(record.runId), place: places?.get(record.runId) }, names),
    );
  }

  async #list(filter: { state: 'active' | 'ended'; endedSince?: Date }): Promise<RunRecord[]> {
    const { client, taskQueue } = this.#options;
    const records: RunRecord[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < mostPages; pages += 1) {
      const page = await listRunsPage(client, { ...filter, taskQueue, cursor, limit: pageSize });
      records.push(...page.runs);
      cursor = page.nextCursor;
      if (cursor === undefined) break;
    }
    return records;
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
