import type { Client, WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import {
  type LimiterMessage,
  type LimiterUpdate,
  type Permit,
  limiterUpdateSignal,
  limiterSignals,
} from '../../contract/limiter.ts';
import type { LimiterState } from '../../workflows/limiter/limiter-state.ts';

type Event = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>[number];
type Payloads = NonNullable<Event['workflowExecutionSignaledEventAttributes']>['input'];

interface Granted extends Permit {
  /** its workflow's id */
  holder: string;
  /** ms of the epoch, on the server's clock */
  atMs: number;
}

/** What a barrier was asked and what it told, from the events of all of its runs and not from its own book. */
export class LimiterRecord {
  readonly granted: Granted[] = [];
  /** What stood in line, and what was in use, when a run of the barrier continued as new. */
  readonly handedOn: { waiting: number; permits: number }[] = [];
  mostInUse = 0;
  readonly #asked = new Set<string>();
  readonly #inUse = new Map<string, Granted>();
  #holderByNewsEvent = new Map<string, string>();
  #nowMs = 0;

  static async of(client: Client, limiterId: string): Promise<LimiterRecord> {
    const record = new LimiterRecord();
    for (const events of await runsOf(client, limiterId)) {
      record.#holderByNewsEvent = new Map();
      for (const event of events) record.#take(event);
    }
    return record;
  }

  /** In order of arrival, and each once however often it was repeated: `<holder> <request>` */
  get asked(): string[] {
    return [...this.#asked];
  }

  get grantedInOrder(): string[] {
    return this.granted.map(({ holder, requestId }) => `${holder} ${requestId}`);
  }

  grantsOf(holder: string): Granted[] {
    return this.granted.filter((grant) => grant.holder === holder);
  }

  /** Grants in the busiest stretch of this length. One that is exactly as old has left it. */
  mostWithin(spanMs: number): number {
    const counts = this.granted.map(
      ({ atMs }) => this.granted.filter((grant) => grant.atMs > atMs - spanMs && grant.atMs <= atMs).length,
    );
    return Math.max(0, ...counts);
  }

  #take(event: Event): void {
    // The time that the barrier goes by, too.
    if (event.workflowTaskStartedEventAttributes) this.#nowMs = msOf(event.eventTime);
    const started = event.workflowExecutionStartedEventAttributes;
    if (started) this.#start(payloads(started.input) as [string, unknown, LimiterState?]);
    const heard = event.workflowExecutionSignaledEventAttributes;
    if (heard?.signalName === limiterSignals.message) this.#hear(payloads(heard.input)[0] as LimiterMessage);
    const told = event.signalExternalWorkflowExecutionInitiatedEventAttributes;
    if (told?.signalName === limiterUpdateSignal) {
      this.#holderByNewsEvent.set(String(event.eventId), told.workflowExecution?.workflowId ?? '');
      this.#tell(payloads(told.input)[0] as LimiterUpdate);
    }
    const failed = event.signalExternalWorkflowExecutionFailedEventAttributes;
    if (failed) this.#lose(this.#holderByNewsEvent.get(String(failed.initiatedEventId)));
  }

  #start([, , resumed]: [string, unknown, LimiterState?]): void {
    if (resumed === undefined) return;
    const waiting = resumed.waiting.flatMap(({ requestIds }) => requestIds).length;
    this.handedOn.push({ waiting, permits: resumed.permits.length });
  }

  #hear({ from, requests = [], reports = [], leaves }: LimiterMessage): void {
    for (const requestId of requests) this.#asked.add(`${from.workflowId} ${requestId}`);
    for (const { permitId } of reports) this.#inUse.delete(permitId);
    if (leaves === true) this.#lose(from.workflowId);
  }

  #tell({ to, granted }: LimiterUpdate): void {
    for (const { permitId, expiresAtMs } of this.#inUse.values()) {
      if (expiresAtMs <= this.#nowMs) this.#inUse.delete(permitId);
    }
    for (const permit of granted) {
      // Told again, since an answer may be lost.
      if (this.granted.some(({ permitId }) => permitId === permit.permitId)) continue;
      const grant = { ...permit, holder: to.workflowId, atMs: this.#nowMs };
      this.granted.push(grant);
      this.#inUse.set(permit.permitId, grant);
    }
    this.mostInUse = Math.max(this.mostInUse, this.#inUse.size);
  }

  #lose(workflowId: string | undefined): void {
    for (const { permitId, holder } of this.#inUse.values()) if (holder === workflowId) this.#inUse.delete(permitId);
  }
}

/** The first to the last. */
async function runsOf(client: Client, workflowId: string): Promise<Event[][]> {
  const runs: Event[][] = [];
  let runId: string | undefined;
  do {
    const events = (await client.workflow.getHandle(workflowId, runId).fetchHistory()).events ?? [];
    runs.unshift(events);
    runId = events[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId ?? '';
  } while (runId !== '');
  return runs;
}

function payloads(input: Payloads): unknown[] {
  return (input?.payloads ?? []).map((payload) => defaultPayloadConverter.fromPayload(payload));
}

function msOf(time: Event['eventTime']): number {
  return Number(time?.seconds ?? 0) * 1000 + (time?.nanos ?? 0) / 1e6;
}
