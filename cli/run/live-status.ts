import type { Client, WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { z } from 'zod';
import { JobPhase } from '../../contract/http/job.ts';
import { statusQuery, type WorkflowStatus } from '../../contract/workflow/status.ts';

/** A worker that is busy or gone lets a query wait for ten seconds; the next one is worth more than its late answer. */
const deadlineMs = 3_000;

/** Of what an activity leaves with each heartbeat, the part that is shown. */
const Heartbeat = z.object({ phase: JobPhase, percent: z.number() });
type Heartbeat = z.infer<typeof Heartbeat>;

/**
 * The workflow's own status, with the finer progress of its activity's last heartbeat: a workflow hears of progress only now and then, since
 * each time is for ever in its history. A run of several
 * steps is not refined, as a heartbeat knows only its own step's percent. Undefined where nobody answers at the moment: progress is a courtesy.
 */
export async function liveStatus(
  client: Client,
  handle: WorkflowHandle,
  isOneStep: boolean,
): Promise<WorkflowStatus | undefined> {
  try {
    return await client.withDeadline(Date.now() + deadlineMs, async () => {
      const [status, heartbeat] = await Promise.all([
        handle.query<WorkflowStatus>(statusQuery),
        isOneStep ? lastHeartbeat(handle).catch(() => undefined) : undefined,
      ]);
      return heartbeat === undefined ? status : refined(status, heartbeat);
    });
  } catch {
    return undefined;
  }
}

/** Only ahead: a heartbeat may be older than what the workflow knows. */
export function refined(status: WorkflowStatus, { phase, percent }: Heartbeat): WorkflowStatus {
  if (status.state !== 'running' || status.phase !== phase || percent <= status.percent) return status;
  const { etaSeconds: _, ...rest } = status;
  return { ...rest, percent };
}

async function lastHeartbeat(handle: WorkflowHandle): Promise<Heartbeat | undefined> {
  const { raw } = await handle.describe();
  const payload = raw.pendingActivities?.[0]?.heartbeatDetails?.payloads?.[0];
  if (payload === undefined) return undefined;
  return Heartbeat.safeParse(defaultPayloadConverter.fromPayload(payload)).data;
}
