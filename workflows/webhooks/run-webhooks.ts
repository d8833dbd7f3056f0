import { CancellationScope, log, ParentClosePolicy, startChild, uuid4, workflowInfo } from '@temporalio/workflow';
import type { CommonInput } from '../../contract/workflow/common-input.ts';
import type { Webhook, WebhookDelivery } from '../../contract/workflow/webhook.ts';
import { webhookIdPrefix } from '../../contract/workflow/webhook-id.ts';
import type { RunModel } from '../status/run-model.ts';
import { eventOf, type ToldEvent, type ToldWaits } from './run-events.ts';
import type { webhook as webhookWorkflow } from './webhook.ts';

/** Tells a run's webhook what becomes of it. Each message is a workflow of its own, which outlives the run. */
export class RunWebhooks {
  readonly #webhook: Webhook;
  readonly #owner: string | undefined;
  readonly #starting: Promise<void>[] = [];
  #told: ToldWaits = new Map();

  constructor(webhook: Webhook, { owner }: Pick<CommonInput, 'owner'>) {
    this.#webhook = webhook;
    this.#owner = owner;
  }

  tellStart(): void {
    this.#send({ type: 'run.started', data: { state: 'queued' } });
  }

  /** At each change of the run. */
  tellChange(model: RunModel): void {
    const { event, told } = eventOf(model, this.#told);
    this.#told = told;
    if (event !== undefined) this.#send(event);
  }

  /** When all messages are on their way; before that the run may not close. */
  async sent(): Promise<void> {
    await Promise.all(this.#starting);
  }

  #send({ type, data }: ToldEvent): void {
    const { workflowId, runId, firstExecutionRunId, workflowType } = workflowInfo();
    const owner = this.#owner === undefined ? {} : { owner: this.#owner };
    const delivery: WebhookDelivery = {
      webhook: this.#webhook,
      messageId: `msg_${uuid4()}`,
      message: {
        type,
        timestamp: new Date().toISOString(),
        data: { id: workflowId, runId, workflow: workflowType, ...owner, ...data },
      },
    };
    const id = `${webhookIdPrefix(firstExecutionRunId)}${runId}-${this.#starting.length + 1}`;
    // A run that is cancelled tells that too.
    const started = CancellationScope.nonCancellable(async () => {
      await startChild<typeof webhookWorkflow>('webhook', {
        workflowId: id,
        args: [delivery],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        // A webhook's path may be a secret.
        staticSummary: `${type} to ${hostOf(this.#webhook.url)}`,
      });
    });
    this.#starting.push(
      started.catch((error: unknown) => log.warn('A webhook could not be told', { type, error: String(error) })),
    );
  }
}

/** Workflow code has no URL. */
function hostOf(url: string): string {
  return /^[a-z]+:[/\\]*(?:[^/\\?#]*@)?([^/\\?#]*)/i.exec(url)?.[1] ?? 'its receiver';
}
