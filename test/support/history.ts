import type { WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';

interface HistoryEvent {
  eventTime?: { seconds?: unknown; nanos?: number | null } | null;
  eventId?: unknown;
  activityTaskCompletedEventAttributes?: { scheduledEventId?: unknown } | null;
  activityTaskScheduledEventAttributes?: { activityType?: { name?: string | null } | null } | null;
  activityTaskStartedEventAttributes?: { attempt?: number | null } | null;
  workflowTaskTimedOutEventAttributes?: object | null;
  startChildWorkflowExecutionInitiatedEventAttributes?: { workflowType?: { name?: string | null } | null } | null;
  timerStartedEventAttributes?: {
    startToFireTimeout?: { seconds?: unknown; nanos?: number | null } | null;
  } | null;
  upsertWorkflowSearchAttributesEventAttributes?: {
    searchAttributes?: { indexedFields?: Record<string, unknown> | null } | null;
  } | null;
  signalExternalWorkflowExecutionInitiatedEventAttributes?: object | null;
  signalExternalWorkflowExecutionFailedEventAttributes?: object | null;
  externalWorkflowExecutionSignaledEventAttributes?: object | null;
  userMetadata?: { summary?: unknown } | null;
}

/** Events of a run, timed by the server's (skipping) clock. */
export class RunHistory {
  readonly #events: HistoryEvent[];

  constructor(events: HistoryEvent[]) {
    this.#events = events;
  }

  static async of(handle: WorkflowHandle): Promise<RunHistory> {
    return new RunHistory((await handle.fetchHistory()).events ?? []);
  }

  get length(): number {
    return this.#events.length;
  }

  /** The whole history with decoded payloads, as a reader of the history sees it. */
  text(): string {
    // JSON of events has bytes in base64.
    return JSON.stringify(this.#events).replaceAll(/"data":"([^"]+)"/g, (_, data: string) =>
      Buffer.from(data, 'base64').toString('utf8'),
    );
  }

  /** Seconds from the first scheduling of an activity to each scheduling. */
  startsOf(activityType: string): number[] {
    const times = this.secondsOf(activityType);
    return times.map((time) => time - (times[0] ?? 0));
  }

  /** Times at which an activity was scheduled, on the server's clock. */
  secondsOf(activityType: string): number[] {
    return this.#scheduled(activityType).map((event) => secondsOf(event.eventTime));
  }

  /** Times at which the successful ones of an activity were scheduled. */
  secondsOfSuccesses(activityType: string): number[] {
    const ended = this.#events.map(
      ({ activityTaskCompletedEventAttributes: completed }) => completed?.scheduledEventId,
    );
    const ids = new Set(ended.map(String));
    return this.#scheduled(activityType)
      .filter(({ eventId }) => ids.has(String(eventId)))
      .map((event) => secondsOf(event.eventTime));
  }

  summariesOf(activityType: string): unknown[] {
    return this.#scheduled(activityType).map(summaryOf);
  }

  /** Exact duration of each timer. */
  timerSeconds(): number[] {
    return this.#timers().map((event) => secondsOf(event.timerStartedEventAttributes?.startToFireTimeout));
  }

  timerSummaries(): unknown[] {
    return this.#timers().map(summaryOf);
  }

  /** Workflow types of the child runs, in the order in which they were started. */
  childRuns(): unknown[] {
    return this.#events.flatMap(
      ({ startChildWorkflowExecutionInitiatedEventAttributes: started }) => started?.workflowType?.name ?? [],
    );
  }

  /** Number of tasks that were given to a worker and then, after a timeout, to another. */
  lostTasks(): number {
    return this.#events.reduce((lost, event) => {
      const attempts = event.activityTaskStartedEventAttributes?.attempt ?? 1;
      return lost + attempts - 1 + (event.workflowTaskTimedOutEventAttributes ? 1 : 0);
    }, 0);
  }

  /** Most signals to other workflows that were in flight at a time. */
  mostSignalsUnderWay(): number {
    let [underWay, most] = [0, 0];
    for (const event of this.#events) {
      if (event.signalExternalWorkflowExecutionInitiatedEventAttributes) underWay += 1;
      if (event.externalWorkflowExecutionSignaledEventAttributes) underWay -= 1;
      if (event.signalExternalWorkflowExecutionFailedEventAttributes) underWay -= 1;
      most = Math.max(most, underWay);
    }
    return most;
  }

  /** Values that the run has set for a search attribute. */
  searchAttributeChanges(name: string): unknown[] {
    return this.#events.flatMap(({ upsertWorkflowSearchAttributesEventAttributes: upsert }) => {
      const payload = upsert?.searchAttributes?.indexedFields?.[name];
      return payload === undefined ? [] : [defaultPayloadConverter.fromPayload(payload as Payload)];
    });
  }

  #timers(): HistoryEvent[] {
    return this.#events.filter((event) => Boolean(event.timerStartedEventAttributes));
  }

  #scheduled(activityType: string): HistoryEvent[] {
    return this.#events.filter(
      (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === activityType,
    );
  }
}

function secondsOf(time: { seconds?: unknown; nanos?: number | null } | null | undefined): number {
  return Number(time?.seconds ?? 0) + (time?.nanos ?? 0) / 1e9;
}

function summaryOf(event: HistoryEvent): unknown {
  const payload = event.userMetadata?.summary;
  return payload ? defaultPayloadConverter.fromPayload(payload) : undefined;
}
