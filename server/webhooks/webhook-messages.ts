import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { ReplayRequest, WebhooksBody } from '../../contract/server/webhooks.ts';
import { redactUrl } from '../../contract/shown-url.ts';
import { webhookIdPrefix } from '../../contract/workflow/webhook-id.ts';
import type { Caller } from '../access/caller.ts';
import { ProblemError, shownId } from '../problem-error.ts';
import { withRequestDeadline } from '../request-deadline.ts';
import { findRun } from '../runs/find-run.ts';
import { readDeliveries } from './read-deliveries.ts';

/** Webhook messages of the runs that a caller may see. */
export class WebhookMessages {
  readonly #client: Client;
  readonly #taskQueue: string;

  constructor(client: Client, taskQueue: string) {
    this.#client = client;
    this.#taskQueue = taskQueue;
  }

  async list(id: string, caller: Caller): Promise<WebhooksBody> {
    const { deliveries } = await this.#read(id, caller);
    const url = deliveries[0]?.sent.webhook.url;
    return {
      ...(url !== undefined && { url: redactUrl(url) }),
      messages: deliveries.map(({ view }) => view),
    };
  }

  /** Sends messages again unchanged, in their original order. */
  async replay(id: string, { ids }: ReplayRequest, caller: Caller): Promise<WebhooksBody> {
    const { deliveries, firstRunId } = await this.#read(id, caller);
    const byId = new Map(deliveries.toReversed().map((delivery) => [delivery.sent.messageId, delivery.sent]));
    const unknown = ids?.find((messageId) => !byId.has(messageId));
    if (unknown !== undefined) {
      throw new ProblemError('not_found', `${shownId(id)} has sent no message ${shownId(unknown)}.`);
    }
    for (const sent of [...byId.values()].toReversed()) {
      if (ids !== undefined && !ids.includes(sent.messageId)) continue;
      await withRequestDeadline(
        this.#client,
        async () =>
          await this.#client.workflow.start('webhook', {
            taskQueue: this.#taskQueue,
            workflowId: `${webhookIdPrefix(firstRunId)}again-${randomUUID()}`,
            args: [sent],
            staticSummary: `${sent.message.type} again`,
          }),
      );
    }
    return await this.list(id, caller);
  }

  async #read(id: string, caller: Caller) {
    return await withRequestDeadline(this.#client, async () => {
      const { description, record } = await findRun(this.#client, this.#taskQueue, id, caller);
      const firstRunId = description.raw.workflowExecutionInfo?.firstRunId || record.runId;
      return { firstRunId, deliveries: await readDeliveries(this.#client, firstRunId) };
    });
  }
}
