import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { decodePayload } from '../../client/decode-payload.ts';
import { JobPhase } from '../../contract/http/job.ts';
import { isRecord } from '../../contract/unknown-values.ts';
import { isDeleted, unlessEncrypted } from '../../client/unreadable.ts';
import { millisecondsOf } from '../../client/temporal-time.ts';
import { submitting } from './run-events.ts';

/** A step that is queued for a container or that a container works on. */
export type PendingStep =
  | { kind: 'queued'; scheduledMs: number; priority: number }
  | {
      kind: 'working';
      sinceMs: number;
      containerUrl: string;
      machine?: string;
      phase?: JobPhase;
      percent?: number;
    };

/** temporal.api.enums.v1.PendingActivityState */
const scheduled = 1;
/** Temporal's default. */
const usualPriority = 3;

/**
 * Reads the steps from Temporal's pending activities, without a query to a worker. A deleted run has none. The SDK's own
 * `describe` would decode the memo, whose key may be unknown here.
 */
export async function readPendingSteps(client: Client, workflowId: string, runId: string): Promise<PendingStep[]> {
  const { namespace } = client.options;
  try {
    const run = await client.workflowService.describeWorkflowExecution({ namespace, execution: { workflowId, runId } });
    const steps = await Promise.all(run.pendingActivities.map((activity) => readStep(client, activity)));
    return steps.filter((step) => step !== undefined);
  } catch (error) {
    if (isDeleted(error)) return [];
    throw error;
  }
}

type PendingActivity = temporal.api.workflow.v1.IPendingActivityInfo;

async function readStep(client: Client, activity: PendingActivity): Promise<PendingStep | undefined> {
  const name = activity.activityType?.name ?? '';
  // oxlint-disable-next-line typescript/no-unsafe-enum-comparison
  if (submitting.has(name) && activity.state === scheduled) {
    const priority = activity.priority?.priorityKey || usualPriority;
    return { kind: 'queued', scheduledMs: millisecondsOf(activity.scheduledTime), priority };
  }
  if (name !== 'followJob') return undefined;
  const told = await unlessEncrypted(decodePayload(client, activity.heartbeatDetails?.payloads?.[0]));
  const location = isRecord(told) && isRecord(told['state']) ? told['state']['location'] : undefined;
  if (!isRecord(told) || !isRecord(location) || typeof location['containerUrl'] !== 'string') return undefined;
  const { containerUrl, machine } = location;
  const phase = JobPhase.safeParse(told['phase']).data;
  return {
    kind: 'working',
    sinceMs: millisecondsOf(activity.lastStartedTime),
    containerUrl,
    ...(typeof machine === 'string' && { machine }),
    ...(phase !== undefined && { phase }),
    ...(typeof told['percent'] === 'number' && { percent: told['percent'] }),
  };
}
