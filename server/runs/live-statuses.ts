import type { Client } from '@temporalio/client';
import PQueue from 'p-queue';
import { readLiveStatus } from '../../client/live-status.ts';
import type { RunRecord } from '../../client/run-record.ts';
import type { WorkflowStatus } from '../../contract/workflow/status.ts';

/** A run is asked at most so often, whoever looks. */
const freshMs = 1_000;
/** A status that no worker has renewed since says nothing any more. */
const forgottenMs = 10_000;
/** A worker answers each query by a task of its own. */
const queriesAtOnce = 8;

interface Entry {
  status: WorkflowStatus | undefined;
  /** When a worker answered. */
  statusAtMs: number;
  /** When one was asked. */
  askedAtMs: number;
  reading: Promise<void> | undefined;
}

/**
 * What runs tell of themselves while they are under way, for all who look: each is asked once a second at most. One that has ended
 * is never asked, as a worker would have to replay it, and one that only stands in a queue has nothing to tell.
 */
export class LiveStatuses {
  readonly #client: Client;
  readonly #entries = new Map<string, Entry>();
  readonly #queries = new PQueue({ concurrency: queriesAtOnce });
  readonly #stopped = new AbortController();

  constructor(client: Client) {
    this.#client = client;
  }

  /** By run id. Waits at most so long for the answers: what comes later is there for the next who asks. */
  async read(records: readonly RunRecord[], mostMs: number): Promise<Map<string, WorkflowStatus>> {
    this.#forgetOld();
    const asked = records.filter((record) => record.ending === undefined && record.state !== 'queued');
    const reading = asked.flatMap((record) => this.#renew(record) ?? []);
    if (reading.length > 0) await Promise.race([Promise.all(reading), after(mostMs)]);
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

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
