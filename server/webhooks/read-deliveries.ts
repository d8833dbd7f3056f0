import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import pMap from 'p-map';
import { decodePayload } from '../../client/decode-payload.ts';
import { quote } from '../../client/visibility-query.ts';
import type { MessageView } from '../../contract/server/webhooks.ts';
import type { WebhookDelivery, WebhookTry } from '../../contract/workflow/webhook.ts';
import { webhookIdPrefix } from '../../contract/workflow/webhook-id.ts';
import { millisecondsOf } from '../../client/temporal-time.ts';

export interface SentMessage {
  sent: WebhookDelivery;
  view: MessageView;
}

/** Limit for one run, including messages sent again. Each is a workflow whose history is read. */
const mostDeliveries = 200;
const readAtOnce = 8;

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** Deliveries of a run in the order of sending. */
export async function readDeliveries(client: Client, firstRunId: string): Promise<SentMessage[]> {
  const query = `WorkflowType = 'webhook' AND WorkflowId STARTS_WITH ${quote(webhookIdPrefix(firstRunId))}`;
  const infos: WorkflowExecutionInfo[] = [];
  for await (const info of client.workflow.list({ query })) {
    infos.push(info);
    if (infos.length === mostDeliveries) break;
  }
  infos.sort((one, other) => one.startTime.getTime() - other.startTime.getTime());
  return await pMap(infos, async (info) => await readDelivery(client, info), { concurrency: readAtOnce });
}

async function readDelivery(client: Client, { workflowId, runId, status, startTime }: WorkflowExecutionInfo) {
  const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  const history: HistoryEvent[] = events ?? [];
  const input = history[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0];
  const sent = (await decodePayload(client, input)) as WebhookDelivery;
  const tries: MessageView['tries'] = [];
  for (const event of history) {
    const completed = event.activityTaskCompletedEventAttributes;
    if (!completed) continue;
    const delivery = (await decodePayload(client, completed.result?.payloads?.[0])) as WebhookTry;
    const { kind, status: answered, message } = delivery;
    const at = new Date(millisecondsOf(event.eventTime)).toISOString();
    tries.push({ at, kind, ...(answered !== undefined && { status: answered }), message });
  }
  const nextTryAt = status.name === 'RUNNING' ? endOfTimer(history) : undefined;
  return {
    sent,
    view: {
      id: sent.messageId,
      event: sent.message.type,
      timestamp: sent.message.timestamp,
      sentAt: startTime.toISOString(),
      state: stateOfDelivery(status.name),
      tries,
      ...(nextTryAt !== undefined && { nextTryAt: nextTryAt.toISOString() }),
    },
  };
}

function stateOfDelivery(status: string): MessageView['state'] {
  if (status === 'RUNNING') return 'delivering';
  return status === 'COMPLETED' ? 'delivered' : 'failed';
}

/** Time of the next attempt; undefined while an attempt runs. */
function endOfTimer(history: readonly HistoryEvent[]): Date | undefined {
  const started = history.findLast((event) => event.timerStartedEventAttributes);
  const { timerId, startToFireTimeout } = started?.timerStartedEventAttributes ?? {};
  const hasFired = history.some((event) => event.timerFiredEventAttributes?.timerId === timerId);
  if (started === undefined || hasFired) return undefined;
  return new Date(millisecondsOf(started.eventTime) + millisecondsOf(startToFireTimeout));
}
