import type { Client, WorkflowHandle } from '@temporalio/client';
import { decodePayload } from './decode-payload.ts';
import { JobPhase } from '../contract/http/job.ts';
import type { WorkflowType } from '../contract/workflow/inputs.ts';
import { statusQuery, type WorkflowStatus } from '../contract/workflow/status.ts';

/** Where the worker is busy or gone, a query waits for ten seconds; by then a new query is worth more than that one's answer. */
const deadlineMs = 3_000;

/** Of what an activity leaves with each heartbeat, the part that is shown. */
interface Heartbeat {
  phase: JobPhase;
  percent: number;
}

/**
 * The workflow's own status, with the finer progress of its activity's last heartbeat: each signal of progress stays in the
 * workflow's history, so it gets few. `processing` has several steps and is not refined, as a heartbeat knows only the
 * percent of its own step. Undefined where nobody answers at the moment.
 */
export async function readLiveStatus(
  client: Client,
  handle: WorkflowHandle,
  workflowType: WorkflowType,
  signal: AbortSignal,
): Promise<WorkflowStatus | undefined> {
  try {
    const request = async () => {
      const [status, heartbeat] = await Promise.all([
        handle.query<WorkflowStatus>(statusQuery),
        workflowType === 'processing' ? undefined : readLastHeartbeat(client, handle).catch(() => undefined),
      ]);
      return heartbeat === undefined ? status : refineStatus(status, heartbeat);
    };
    // A signal of its own: the SDK never removes what it adds to it at each request.
    const ofThisRead = AbortSignal.any([signal]);
    return await client.withDeadline(Date.now() + deadlineMs, () => client.withAbortSignal(ofThisRead, request));
  } catch {
    return undefined;
  }
}

/** Progress only grows: a heartbeat may be older than what the workflow knows. */
export function refineStatus(status: WorkflowStatus, { phase, percent }: Heartbeat): WorkflowStatus {
  if (status.state !== 'running' || status.phase !== phase || percent <= status.percent) return status;
  const { etaSeconds: _, ...rest } = status;
  return { ...rest, percent };
}

async function readLastHeartbeat(client: Client, handle: WorkflowHandle): Promise<Heartbeat | undefined> {
  const { raw } = await handle.describe();
  const payload = raw.pendingActivities?.[0]?.heartbeatDetails?.payloads?.[0];
  const details = (await decodePayload(client, payload)) as Partial<Heartbeat> | null | undefined;
  const phase = JobPhase.safeParse(details?.phase);
  return phase.success && typeof details?.percent === 'number'
    ? { phase: phase.data, percent: details.percent }
    : undefined;
}
