import { ActivityFailure, ApplicationFailure, isCancellation, sleep } from '@temporalio/workflow';
import type { WebhookDelivery, WebhookTry } from '../../contract/workflow/webhook.ts';
import { webhookActivities } from '../proxies.ts';
import { runMetrics } from '../status/counters.ts';
import { nextTry } from './schedule.ts';

const resultOf = { delivered: 'delivered', wait: 'failed', ended: 'given_up' } as const;

/** Delivers one message and retries for three days. It is a separate workflow, so that a dead receiver delays no run. */
export async function webhook(delivery: WebhookDelivery): Promise<{ tries: number }> {
  const begunMs = Date.now();
  for (let tries = 1; ; tries += 1) {
    const tried = await tryOnce(`Try ${tries}: ${delivery.message.type}`, delivery);
    // Rounding up keeps a wait that has just ended from leaving a fraction.
    const next = nextTry(tried, { tries, elapsedSeconds: Math.ceil((Date.now() - begunMs) / 1000) });
    runMetrics.countWebhookTry(resultOf[next.kind]);
    if (next.kind === 'delivered') return { tries };
    if (next.kind === 'ended') {
      throw ApplicationFailure.nonRetryable(
        `The webhook message ${delivery.message.type} was not delivered: ${next.reason}.`,
        'WebhookUndelivered',
      );
    }
    await sleep(next.seconds * 1000, { summary: `Retry in ${next.seconds} s: ${next.reason}`.slice(0, 200) });
  }
}

async function tryOnce(summary: string, delivery: WebhookDelivery): Promise<WebhookTry> {
  try {
    return await webhookActivities().sendWebhook.executeWithOptions({ summary }, [delivery]);
  } catch (error) {
    // The worker died during the request; the receiver may have the message.
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    return { kind: 'failed', message: `the try was lost (${error.cause?.message ?? error.message})` };
  }
}
