import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { decodePayload } from '../../client/decode-payload.ts';
import { JobPhase } from '../../contract/http/job.ts';
import { isRecord } from '../../contract/unknown-values.ts';

/** A step of a run that stands in the line for a container, or that one works for. */
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
/** What Temporal takes where none is given. */
const usualPriority = 3;

const submitting = new Set(['encode', 'chunk']);

/** Of a run under way, as Temporal has its activities; no worker is asked. */
export async function readPendingSteps(client: Client, workflowId: string, runId: string): Promise<PendingStep[]> {
  const { raw } = await client.workflow.getHandle(workflowId, runId).describe();
  const steps = await Promise.all((raw.pendingActivities ?? []).map((activity) => readStep(client, activity)));
  return steps.filter((step) => step !== undefined);
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
  const told = await decodePayload(client, activity.heartbeatDetails?.payloads?.[0]);
  const location = isRecord(told) && isRecord(told['state']) ? told['state']['location'] : undefined;
  if (!isRecord(told) || !isRecord(location) || typeof location['containerUrl'] !== 'string') return undefined;
  const { containerUrl, machine } = location;
  const phase = JobPhase.safeParse(told['phase']).data;
  return {
    kind: 'working',
    ...{ sinceMs: millisecondsOf(activity.lastStartedTime), containerUrl },
    ...(typeof machine === 'string' && { machine }),
    ...(phase !== undefined && { phase }),
    ...(typeof told['percent'] === 'number' && { percent: told['percent'] }),
  };
}

function millisecondsOf(time: { seconds?: unknown; nanos?: number | null } | null | undefined): number {
  return Number(time?.seconds ?? 0) * 1000 + Math.floor((time?.nanos ?? 0) / 1e6);
}
