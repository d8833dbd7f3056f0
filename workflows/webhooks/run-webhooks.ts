import {
  ApplicationFailure,
  CancellationScope,
  log,
  ParentClosePolicy,
  patched,
  startChild,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import { failureType } from '../../contract/error-codes.ts';
import type { Requester } from '../../contract/requester.ts';
import type { CommonInput } from '../../contract/workflow/common-input.ts';
import type { Webhook, WebhookDelivery } from '../../contract/workflow/webhook.ts';
import { webhookIdPrefix } from '../../contract/workflow/webhook-id.ts';
import type { RunModel } from '../status/run-model.ts';
import { eventOf, type RunEvent, type ReportedWaits } from './run-events.ts';
import type { webhook as webhookWorkflow } from './webhook.ts';

/** Sends a run's events to its webhook. Each message is a workflow of its own, which outlives the run. */
export class RunWebhooks {
  readonly #webhook: Webhook;
  readonly #owner: string | undefined;
  readonly #requester: Requester | undefined;
  readonly #starting: Promise<void>[] = [];
  /** Histories of older versions have messages for the waits of each step. */
  readonly #byStep = !patched('waits-are-reported-by-reason');
  #reported: ReportedWaits;
  #hasEnded = false;

  /** `reportedWaits`: those of the run before it continued as new. */
  constructor(
    webhook: Webhook,
    { owner }: Pick<CommonInput, 'owner'>,
    requester: Requester | undefined,
    reportedWaits: readonly [string, string][] = [],
  ) {
    this.#reported = new Map(reportedWaits);
    this.#webhook = webhook;
    this.#owner = owner;
    this.#requester = requester;
  }

  get reportedWaits(): [string, string][] {
    return [...this.#reported];
  }

  reportStart(): void {
    this.#send({ type: 'run.started', data: { state: 'queued' } });
  }

  reportChange(model: RunModel): void {
    const { event, reported } = eventOf(model, this.#reported, this.#byStep);
    this.#reported = reported;
    if (event === undefined) return;
    // Jobs report progress until they are cancelled. Histories of older versions have a message for each such report.
    if (this.#hasEnded && patched('webhooks-report-an-end-once')) return;
    this.#hasEnded ||= event.type !== 'run.waiting';
    this.#send(event);
  }

  /** Resolves when the workflows of all messages have started. The run must not close before. */
  async sent(): Promise<void> {
    await Promise.all(this.#starting);
  }

  #send({ type, data }: RunEvent): void {
    const { workflowId, runId, firstExecutionRunId, workflowType } = workflowInfo();
    const owner = this.#owner === undefined ? {} : { owner: this.#owner };
    const uuid = uuid4();
    const delivery: WebhookDelivery = {
      webhook: this.#webhook,
      messageId: `msg_${uuid}`,
      message: {
        type,
        timestamp: new Date().toISOString(),
        data: { id: workflowId, runId, workflow: workflowType, ...owner, ...data },
      },
      ...(this.#requester !== undefined && { requester: this.#requester }),
    };
    // A reset gives the run another id. Its history then has messages under the former id and could not be replayed.
    const own = patched('webhook-ids-survive-a-reset') ? uuid : `${runId}-${this.#starting.length + 1}`;
    const id = `${webhookIdPrefix(firstExecutionRunId)}${own}`;
    // The cancellation of a run is an event too.
    const started = CancellationScope.nonCancellable(async () => {
      await startChild<typeof webhookWorkflow>('webhook', {
        workflowId: id,
        args: [delivery],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        // Only the host is shown: a webhook's path may be a secret.
        staticSummary: `${type} to ${hostOf(this.#webhook.url)}`,
      });
    });
    this.#starting.push(
      started.catch((error: unknown) =>
        log.warn('A webhook message could not be started', { type, error: String(error) }),
      ),
    );
  }
}

/**
 * For a run that ends before its input is prepared, such as a run that is cancelled in the queue. Undefined if the input
 * is not valid. A cancelled run may have an input that nobody has checked.
 */
export function unpreparedWebhooks(
  failure: Error,
  input: Pick<CommonInput, 'owner' | 'webhook'> | undefined,
  requester: Requester | undefined,
): RunWebhooks | undefined {
  if (failure instanceof ApplicationFailure && failure.type === failureType('invalid_request')) return undefined;
  const { url, secret } = input?.webhook ?? {};
  if (typeof url !== 'string' || typeof secret !== 'string') return undefined;
  // Older versions ended such a run without a message.
  if (!patched('unprepared-runs-send-webhooks')) return undefined;
  return new RunWebhooks({ url, secret }, { owner: input?.owner }, requester);
}

/** Workflow code cannot use the class `URL`. */
function hostOf(url: string): string {
  return /^[a-z]+:[/\\]*(?:[^/\\?#]*@)?([^/\\?#]*)/i.exec(url)?.[1] ?? 'its receiver';
}
