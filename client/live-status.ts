import type { Client, WorkflowHandle } from '@temporalio/client';
import { z } from 'zod';
import { decodePayload } from './decode-payload.ts';
import { definedFields } from '../contract/defined-fields.ts';
import { JobPhase, VideoProgress } from '../contract/http/job.ts';
import type { WorkflowType } from '../contract/workflow/inputs.ts';
import { statusQuery, type WorkflowStatus } from '../contract/workflow/status.ts';
import { withOwnSignal } from './own-signal.ts';

/** A query to a busy or absent worker takes ten seconds; a new query is then more useful than its answer. */
const deadlineMs = 3_000;

/** The displayed part of an activity's heartbeat. */
const Heartbeat = z.object({
  phase: JobPhase,
  percent: z.number(),
  etaSeconds: z.number().optional().catch(undefined),
  speed: z.number().optional().catch(undefined),
  video: VideoProgress.optional().catch(undefined),
});
type Heartbeat = z.infer<typeof Heartbeat>;

/**
 * The workflow's status, refined by its activity's last heartbeat, because progress signals are rare to keep the
 * history short. The status of `processing` and spread runs stays as it is. They have several steps, and a heartbeat
 * knows only the percent of its own step. Undefined if nobody answers.
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
    return await withOwnSignal(signal, (own) =>
      client.withDeadline(Date.now() + deadlineMs, () => client.withAbortSignal(own, request)),
    );
  } catch {
    return undefined;
  }
}

/** Progress never decreases: a heartbeat may be older than the workflow's status. */
export function refineStatus(status: WorkflowStatus, heartbeat: Heartbeat): WorkflowStatus {
  const { phase, percent, speed, video } = heartbeat;
  if (status.spread !== undefined || status.state !== 'running' || status.phase !== phase || percent < status.percent)
    return status;
  const { etaSeconds: known, speed: _, video: __, ...rest } = status;
  const etaSeconds = heartbeat.etaSeconds ?? (percent === status.percent ? known : undefined);
  return { ...rest, percent, ...definedFields({ etaSeconds, speed, video }) };
}

async function readLastHeartbeat(client: Client, handle: WorkflowHandle): Promise<Heartbeat | undefined> {
  const { raw } = await handle.describe();
  const payload = raw.pendingActivities?.[0]?.heartbeatDetails?.payloads?.[0];
  return Heartbeat.safeParse(await decodePayload(client, payload)).data;
}
