import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import { decodePayload } from '../../client/decode-payload.ts';
import { isDeleted } from '../../client/unreadable.ts';
import { jobProgressSignal } from '../../contract/activity.ts';
import { failureType } from '../../contract/error-codes.ts';
import { isRecord } from '../../contract/unknown-values.ts';
import { withoutContainerAddress } from '../../contract/workflow/failure.ts';
import { type ActivityOutcome, type RunEvent, submitting } from './run-events.ts';
import { millisecondsOf } from '../../client/temporal-time.ts';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;
type EventId = HistoryEvent['eventId'];

/** Earlier executions are not read beyond this number of events. */
const mostEvents = 20_000;

export interface RunHistory {
  /** Argument of the latest execution. */
  input: unknown;
  events: RunEvent[];
  /** False if earlier events are left out or deleted. */
  isComplete: boolean;
}

/** Reads all executions of a run that may have continued as new. */
export async function readRunHistory(client: Client, workflowId: string, runId: string): Promise<RunHistory> {
  const executions: HistoryEvent[][] = [];
  let count = 0;
  let input: unknown;
  for (let next: string | undefined = runId; next !== undefined;) {
    if (count > mostEvents) break;
    const execution = await readExecution(client, workflowId, next, executions.length > 0);
    if (execution === undefined) break;
    const started = execution[0]?.workflowExecutionStartedEventAttributes;
    input ??= await decodePayload(client, started?.input?.payloads?.[0]);
    executions.unshift(execution);
    count += execution.length;
    next = started?.continuedExecutionRunId || undefined;
  }
  const [first] = executions;
  const isComplete = !first?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId;
  const events: RunEvent[] = [];
  for (const [index, execution] of executions.entries()) {
    for (const event of execution) {
      const read = await readRunEvent(event, `${index}:`, (payload) => decodePayload(client, payload));
      if (read !== undefined) events.push(read);
    }
  }
  return { input, events, isComplete };
}

/** Undefined for an earlier execution that is deleted: Temporal keeps each for a time from its own end. */
async function readExecution(
  client: Client,
  workflowId: string,
  runId: string,
  isEarlier: boolean,
): Promise<HistoryEvent[] | undefined> {
  try {
    return (await client.workflow.getHandle(workflowId, runId).fetchHistory()).events ?? [];
  } catch (error) {
    if (isEarlier && isDeleted(error)) return undefined;
    throw error;
  }
}

/** Undefined if the timeline does not need the event. `scope` makes ids unique over all executions. */
export async function readRunEvent(
  event: HistoryEvent,
  scope: string,
  decode: (payload: Payload | null | undefined) => Promise<unknown>,
): Promise<RunEvent | undefined> {
  const atMs = millisecondsOf(event.eventTime);
  const scheduled = event.activityTaskScheduledEventAttributes;
  if (scheduled) {
    const activity = scheduled.activityType?.name ?? '';
    if (!shownActivities.has(activity)) return undefined;
    const place = stepActivities.has(activity) ? await readPlace(event, decode) : undefined;
    const { step, attempt } = place ?? {};
    return { kind: 'activity_scheduled', atMs, id: idIn(scope, event.eventId), activity, step, attempt };
  }
  const started = event.activityTaskStartedEventAttributes;
  if (started) return { kind: 'activity_started', atMs, id: idIn(scope, started.scheduledEventId) };
  const ended = await readEnd(event, decode);
  if (ended !== undefined) {
    return { kind: 'activity_ended', atMs, id: idIn(scope, ended.scheduledEventId), outcome: ended.outcome };
  }
  const timer = event.timerStartedEventAttributes;
  if (timer) {
    const seconds = millisecondsOf(timer.startToFireTimeout) / 1000;
    return { kind: 'timer_started', atMs, id: `${scope}${timer.timerId}`, seconds };
  }
  const over = event.timerFiredEventAttributes ?? event.timerCanceledEventAttributes;
  if (over) return { kind: 'timer_ended', atMs, id: `${scope}${over.timerId}` };
  const signal = event.workflowExecutionSignaledEventAttributes;
  if (signal?.signalName === jobProgressSignal) {
    const progress = await decode(signal.input?.payloads?.[0]);
    if (!isRecord(progress) || typeof progress['step'] !== 'string') return undefined;
    return { kind: 'progress', atMs, step: progress['step'], phase: String(progress['phase']) };
  }
  const isCancelled = Boolean(event.workflowExecutionCanceledEventAttributes);
  return isCancelled || hasClosed(event) ? { kind: 'closed', atMs, isCancelled } : undefined;
}

function idIn(scope: string, eventId: EventId): string {
  return `${scope}${String(eventId)}`;
}

/** Activities whose second argument is the context of an attempt. */
const stepActivities = new Set([...submitting, 'followJob']);
const shownActivities = new Set([...stepActivities, 'processChunk', 'assembleTranscript']);

type Decode = (payload: Payload | null | undefined) => Promise<unknown>;

/** The attempt's number exists only in the activity's summary for the Web UI. */
async function readPlace(event: HistoryEvent, decode: Decode): Promise<{ step: string; attempt: number } | undefined> {
  const context = await decode(event.activityTaskScheduledEventAttributes?.input?.payloads?.[1]);
  const summary = await decode(event.userMetadata?.summary);
  const step = isRecord(context) ? context['step'] : undefined;
  const [, attempt] = /^Attempt (\d+):/.exec(String(summary)) ?? [];
  return typeof step === 'string' && attempt !== undefined ? { step, attempt: Number(attempt) } : undefined;
}

async function readEnd(
  event: HistoryEvent,
  decode: Decode,
): Promise<{ scheduledEventId: EventId; outcome: ActivityOutcome } | undefined> {
  const completed = event.activityTaskCompletedEventAttributes;
  if (completed) {
    const result = await decode(completed.result?.payloads?.[0]);
    const submission = isRecord(result) && typeof result['kind'] === 'string' ? result['kind'] : undefined;
    return { scheduledEventId: completed.scheduledEventId, outcome: { kind: 'completed', submission } };
  }
  const failed = event.activityTaskFailedEventAttributes;
  if (failed) {
    const outcome = await readFailure(failed.failure, decode);
    return { scheduledEventId: failed.scheduledEventId, outcome };
  }
  const timedOut = event.activityTaskTimedOutEventAttributes;
  if (timedOut) {
    const message = timedOut.failure?.message ?? 'The activity timed out.';
    return { scheduledEventId: timedOut.scheduledEventId, outcome: { kind: 'failed', type: 'TimedOut', message } };
  }
  const cancelled = event.activityTaskCanceledEventAttributes;
  return cancelled ? { scheduledEventId: cancelled.scheduledEventId, outcome: { kind: 'cancelled' } } : undefined;
}

type Failure = temporal.api.failure.v1.IFailure | null | undefined;

async function readFailure(failure: Failure, decode: Decode): Promise<ActivityOutcome> {
  const type = failure?.applicationFailureInfo?.type ?? '';
  // The container reports a cancelled job as a failure.
  if (failure?.canceledFailureInfo || type === failureType('cancelled')) return { kind: 'cancelled' };
  // Encrypted payloads hide the message in `encodedAttributes`.
  const encoded = await decode(failure?.encodedAttributes);
  const message = isRecord(encoded) ? encoded['message'] : failure?.message;
  const attempt = await decode(failure?.applicationFailureInfo?.details?.payloads?.[0]);
  const code = isRecord(attempt) && typeof attempt['code'] === 'string' ? attempt['code'] : undefined;
  return { kind: 'failed', type, message: typeof message === 'string' ? withoutContainerAddress(message) : '', code };
}

function hasClosed(event: HistoryEvent): boolean {
  return Boolean(
    event.workflowExecutionCompletedEventAttributes ??
    event.workflowExecutionFailedEventAttributes ??
    event.workflowExecutionTimedOutEventAttributes ??
    event.workflowExecutionTerminatedEventAttributes,
  );
}
