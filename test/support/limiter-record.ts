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
import { type PackedState, unpackState } from '../../workflows/limiter/packed-state.ts';

type Event = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>[number];
type Payloads = NonNullable<Event['workflowExecutionSignaledEventAttributes']>['input'];

interface Granted extends Permit {
  /** Id of the holder's workflow. */
  holder: string;
  /** Milliseconds of the epoch, on the server's clock. */
  atMs: number;
}

/** Messages to and from a limiter, from the events of all its runs rather than its state. */
export class LimiterRecord {
  readonly granted: Granted[] = [];
  /** Queued requests and permits in use, each time the limiter continued as new. */
  readonly handedOn: { waiting: number; permits: number }[] = [];
  mostInUse = 0;
  readonly #requested = new Set<string>();
  readonly #inUse = new Map<string, Granted>();
  #holderByUpdateEvent = new Map<string, string>();
  #nowMs = 0;

  static async of(client: Client, limiterId: string): Promise<LimiterRecord> {
    const record = new LimiterRecord();
    for (const events of await runsOf(client, limiterId)) {
      record.#holderByUpdateEvent = new Map();
      for (const event of events) record.#record(event);
    }
    return record;
  }

  /** `<holder> <request>` in order of arrival, without repetitions. */
  get requested(): string[] {
    return [...this.#requested];
  }

  get grantedInOrder(): string[] {
    return this.granted.map(({ holder, requestId }) => `${holder} ${requestId}`);
  }

  grantsOf(holder: string): Granted[] {
    return this.granted.filter((grant) => grant.holder === holder);
  }

  /** Most grants in any span of this length; a grant exactly that old no longer counts. */
  mostWithin(spanMs: number): number {
    const counts = this.granted.map(
      ({ atMs }) => this.granted.filter((grant) => grant.atMs > atMs - spanMs && grant.atMs <= atMs).length,
    );
    return Math.max(0, ...counts);
  }

  #record(event: Event): void {
    // A limiter reads the time when its workflow task starts.
    if (event.workflowTaskStartedEventAttributes) this.#nowMs = msOf(event.eventTime);
    const started = event.workflowExecutionStartedEventAttributes;
    if (started) this.#recordStart(payloads(started.input) as [string, unknown, (LimiterState | PackedState)?]);
    const received = event.workflowExecutionSignaledEventAttributes;
    if (received?.signalName === limiterSignals.message)
      this.#recordMessage(payloads(received.input)[0] as LimiterMessage);
    const sent = event.signalExternalWorkflowExecutionInitiatedEventAttributes;
    if (sent?.signalName === limiterUpdateSignal) {
      this.#holderByUpdateEvent.set(String(event.eventId), sent.workflowExecution?.workflowId ?? '');
      this.#recordUpdate(payloads(sent.input)[0] as LimiterUpdate);
    }
    const failed = event.signalExternalWorkflowExecutionFailedEventAttributes;
    if (failed) this.#dropHolder(this.#holderByUpdateEvent.get(String(failed.initiatedEventId)));
  }

  #recordStart([, , resumed]: [string, unknown, (LimiterState | PackedState)?]): void {
    if (resumed === undefined) return;
    const waiting = unpackState(resumed).waiting.flatMap(({ requestIds }) => requestIds).length;
    this.handedOn.push({ waiting, permits: resumed.permits.length });
  }

  #recordMessage({ from, requests = [], reports = [], leaves }: LimiterMessage): void {
    for (const requestId of requests) this.#requested.add(`${from.workflowId} ${requestId}`);
    for (const { permitId } of reports) this.#inUse.delete(permitId);
    if (leaves === true) this.#dropHolder(from.workflowId);
  }

  #recordUpdate({ to, granted }: LimiterUpdate): void {
    for (const { permitId, expiresAtMs } of this.#inUse.values()) {
      if (expiresAtMs <= this.#nowMs) this.#inUse.delete(permitId);
    }
    for (const permit of granted) {
      // Each update repeats a permit, since updates may be lost.
      if (this.granted.some(({ permitId }) => permitId === permit.permitId)) continue;
      const grant = { ...permit, holder: to.workflowId, atMs: this.#nowMs };
      this.granted.push(grant);
      this.#inUse.set(permit.permitId, grant);
    }
    this.mostInUse = Math.max(this.mostInUse, this.#inUse.size);
  }

  #dropHolder(workflowId: string | undefined): void {
    for (const { permitId, holder } of this.#inUse.values()) if (holder === workflowId) this.#inUse.delete(permitId);
  }
}

/** Events of each run, from the first run to the last. */
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
