import type { Client } from '@temporalio/client';
import type { RunRecord } from '../../client/run-record.ts';
import { listRunsPage } from '../../client/runs-page.ts';
import { isUnreadable } from '../../client/unreadable.ts';
import type { TimelineEntry } from '../../contract/server/timeline.ts';
import { readRunHistory } from '../runs/read-history.ts';
import { buildTimeline } from '../runs/timeline.ts';

/** Durations of runs change slowly. */
const freshMs = 30_000;
const sampled = 11;
/** Longer histories, such as those of thousands of chunks, are not typical and are slow to read. */
const mostEvents = 500;

/** Container time of each of the last succeeded runs. Each history is read once. */
export class WorkTimes {
  readonly #client: Client;
  readonly #taskQueue: string;
  #secondsByRunId = new Map<string, number>();
  #readAtMs = -freshMs;

  constructor(client: Client, taskQueue: string) {
    this.#client = client;
    this.#taskQueue = taskQueue;
  }

  /** Median in seconds; undefined before a run has succeeded. */
  async typicalSeconds(): Promise<number | undefined> {
    if (performance.now() - this.#readAtMs > freshMs) {
      await this.#read();
      // Until a run has succeeded, every call reads again.
      if (this.#secondsByRunId.size > 0) this.#readAtMs = performance.now();
    }
    const seconds = [...this.#secondsByRunId.values()].toSorted((a, b) => a - b);
    return seconds[Math.floor(seconds.length / 2)];
  }

  async #read(): Promise<void> {
    const wanted = { taskQueue: this.#taskQueue, state: 'succeeded', limit: sampled } as const;
    const { runs } = await listRunsPage(this.#client, wanted);
    const read = new Map<string, number>();
    for (const run of runs.filter(({ historyEvents }) => historyEvents <= mostEvents)) {
      const seconds = this.#secondsByRunId.get(run.runId) ?? (await this.#secondsOf(run));
      if (seconds !== undefined) read.set(run.runId, seconds);
    }
    this.#secondsByRunId = read;
  }

  /** Undefined also if the run cannot be read. */
  async #secondsOf({ workflowId, runId }: RunRecord): Promise<number | undefined> {
    try {
      const { events } = await readRunHistory(this.#client, workflowId, runId);
      return workSeconds(buildTimeline(events));
    } catch (error) {
      if (isUnreadable(error)) return undefined;
      throw error;
    }
  }
}

/** Undefined if no container has worked on the run. */
export function workSeconds(timeline: readonly TimelineEntry[]): number | undefined {
  const attempts = timeline.flatMap((entry) =>
    entry.kind === 'attempt' && entry.to !== undefined ? [(Date.parse(entry.to) - Date.parse(entry.from)) / 1000] : [],
  );
  return attempts.length === 0 ? undefined : attempts.reduce((sum, seconds) => sum + seconds, 0);
}
