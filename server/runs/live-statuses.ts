import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import PQueue from 'p-queue';
import { readLiveStatus } from '../../client/live-status.ts';
import type { RunRecord } from '../../client/run-record.ts';
import type { WorkflowStatus } from '../../contract/workflow/status.ts';

/** Shortest time between two queries of one run. */
const freshMs = 1_000;
/** Age at which a status is dropped. */
const forgottenMs = 10_000;
/** A worker runs a workflow task for each query. */
const queriesAtOnce = 8;

interface Entry {
  status: WorkflowStatus | undefined;
  statusAtMs: number;
  askedAtMs: number;
  reading: Promise<void> | undefined;
}

/**
 * Statuses of active runs, shared by all callers. An ended run is never queried, because a worker would have to replay it. A queued run
 * has no status yet.
 */
export class LiveStatuses {
  readonly #client: Client;
  readonly #entries = new Map<string, Entry>();
  readonly #queries = new PQueue({ concurrency: queriesAtOnce });
  readonly #stopped = new AbortController();

  constructor(client: Client) {
    this.#client = client;
  }

  /** Statuses by run id. Waits at most `mostMs`; later answers are there for the next call. */
  async read(records: readonly RunRecord[], mostMs: number): Promise<Map<string, WorkflowStatus>> {
    this.#forgetOld();
    const asked = records.filter((record) => record.ending === undefined && record.state !== 'queued');
    const reading = asked.flatMap((record) => this.#renew(record) ?? []);
    if (reading.length > 0) await Promise.race([Promise.all(reading), delay(mostMs, undefined, { ref: false })]);
    const statuses = asked.map(({ runId }) => [runId, this.#entries.get(runId)?.status] as const);
    return new Map(statuses.flatMap(([runId, status]) => (status === undefined ? [] : [[runId, status]])));
  }

  stop(): void {
    this.#stopped.abort();
    this.#queries.clear();
  }

  #renew(record: RunRecord): Promise<void> | undefined {
    const entry = this.#entries.get(record.runId) ?? newEntry();
    this.#entries.set(record.runId, entry);
    if (entry.reading !== undefined) return entry.reading;
    if (performance.now() - entry.askedAtMs < freshMs) return undefined;
    entry.reading = this.#queries.add(async () => {
      const handle = this.#client.workflow.getHandle(record.workflowId, record.runId);
      const status = await readLiveStatus(this.#client, handle, record.workflowType, this.#stopped.signal);
      entry.askedAtMs = performance.now();
      if (status !== undefined) Object.assign(entry, { status, statusAtMs: entry.askedAtMs });
      entry.reading = undefined;
    });
    return entry.reading;
  }

  #forgetOld(): void {
    const beforeMs = performance.now() - forgottenMs;
    for (const [runId, entry] of this.#entries) {
      if (entry.statusAtMs < beforeMs) entry.status = undefined;
      if (entry.reading === undefined && entry.askedAtMs < beforeMs) this.#entries.delete(runId);
    }
  }
}

function newEntry(): Entry {
  const longAgoMs = performance.now() - forgottenMs;
  return { status: undefined, statusAtMs: longAgoMs, askedAtMs: longAgoMs, reading: undefined };
}
