import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import proto, { type temporal } from '@temporalio/proto';
import { definedFields } from '../contract/defined-fields.ts';
import { startedByMemo } from '../contract/requester.ts';
import { readSearchableText, type SearchAttributeName, type SearchState } from '../contract/search-attributes.ts';
import { usageMemo } from '../contract/usage-memo.ts';
import type { WorkflowType } from '../contract/workflow/inputs.ts';
import { millisecondsOf, type TemporalTime } from './temporal-time.ts';

type RawInfo = temporal.api.workflow.v1.IWorkflowExecutionInfo;

const Status = proto.temporal.api.enums.v1.WorkflowExecutionStatus;

export type RunEnding = 'completed' | 'failed' | 'cancelled';

/** Facts of a run in Temporal's visibility store, which needs no worker. */
export interface RunRecord {
  workflowId: string;
  runId: string;
  workflowType: WorkflowType;
  taskQueue: string;
  startedAt: Date;
  historyEvents: number;
  ending?: RunEnding;
  endedAt?: Date;
  /** Search attributes, if the server has them and the run has set them. */
  state?: SearchState;
  phase?: string;
  owner?: string;
  formats?: string[];
  source?: string;
  waitUntil?: Date;
  /** True if a server has started the run. */
  isOfServer?: boolean;
  /** Memo field that holds the run's usage; it may be encrypted. */
  usage?: Payload;
}

/** A run that continued as new is missing here, because its successor is open. */
const endings = new Map<number, RunEnding>([
  [Status.WORKFLOW_EXECUTION_STATUS_COMPLETED, 'completed'],
  [Status.WORKFLOW_EXECUTION_STATUS_CANCELED, 'cancelled'],
  [Status.WORKFLOW_EXECUTION_STATUS_FAILED, 'failed'],
  [Status.WORKFLOW_EXECUTION_STATUS_TIMED_OUT, 'failed'],
  [Status.WORKFLOW_EXECUTION_STATUS_TERMINATED, 'failed'],
]);

export function readRunRecord(info: RawInfo): RunRecord {
  const fields = info.searchAttributes?.indexedFields ?? {};
  // Other SDKs and older calls of this SDK store a single value as a list of one.
  const list = (name: SearchAttributeName): unknown[] | undefined => {
    const payload = fields[name];
    const value: unknown = payload === undefined ? undefined : defaultPayloadConverter.fromPayload(payload);
    return value === undefined || value === null ? undefined : [value].flat();
  };
  const attribute = (name: SearchAttributeName): unknown => list(name)?.[0];
  const ending = endingOf(info.status);
  const waitUntil = attribute('HoldfastWaitUntil') as string | undefined;
  const source = attribute('HoldfastSource') as string | undefined;
  const optional = {
    ending,
    endedAt: dateOf(info.closeTime),
    state: attribute('HoldfastState') as SearchState | undefined,
    phase: attribute('HoldfastPhase') as string | undefined,
    owner: attribute('HoldfastOwner') as string | undefined,
    formats: list('HoldfastFormats') as string[] | undefined,
    source: source === undefined ? undefined : readSearchableText(source),
    waitUntil: waitUntil === undefined ? undefined : new Date(waitUntil),
    isOfServer: startedByMemo in (info.memo?.fields ?? {}) || undefined,
    usage: info.memo?.fields?.[usageMemo],
  };
  return {
    workflowId: info.execution?.workflowId ?? '',
    runId: info.execution?.runId ?? '',
    workflowType: (info.type?.name ?? '') as WorkflowType,
    taskQueue: info.taskQueue ?? '',
    startedAt: dateOf(info.startTime) ?? new Date(0),
    historyEvents: Number(info.historyLength ?? 0),
    ...definedFields(optional),
  };
}

function endingOf(status: RawInfo['status']): RunEnding | undefined {
  return status === undefined || status === null ? undefined : endings.get(status);
}

function dateOf(time: TemporalTime | null | undefined): Date | undefined {
  return time === undefined || time === null ? undefined : new Date(millisecondsOf(time));
}
