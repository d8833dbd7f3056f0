import { ActivityFailure, ApplicationFailure, isCancellation, sleep } from '@temporalio/workflow';
import type { WebhookDelivery, WebhookTry } from '../../contract/workflow/webhook.ts';
import { webhookActivities } from '../proxies.ts';
import { runMetrics } from '../status/counters.ts';
import { nextTry } from './schedule.ts';

const resultOf = { delivered: 'delivered', wait: 'failed', ended: 'given_up' } as const;

/** Delivers one message, and tries for three days. A workflow of its own: a receiver that is down holds up no run. */
export async function webhook(delivery: WebhookDelivery): Promise<{ tries: number }> {
  const begunMs = Date.now();
  for (let tries = 1; ; tries += 1) {
    const tried = await tryOnce(`Try ${tries}: ${delivery.message.type}`, delivery);
    // Rounded up: of a wait that has ended nothing is left.
    const next = nextTry(tried, { tries, elapsedSeconds: Math.ceil((Date.now() - begunMs) / 1000) });
    runMetrics.countWebhookTry(resultOf[next.kind]);
    if (next.kind === 'delivered') return { tries };
    if (next.kind === 'ended') {
      throw ApplicationFailure.nonRetryable(
        `The webhook's message ${delivery.message.type} was not delivered: ${next.reason}.`,
        'WebhookUndelivered',
      );
    }
    await sleep(next.seconds * 1000, { summary: `Try again in ${next.seconds} s: ${next.reason}`.slice(0, 200) });
  }
}

async function tryOnce(summary: string, delivery: WebhookDelivery): Promise<WebhookTry> {
  try {
    return await webhookActivities().sendWebhook.executeWithOptions({ summary }, [delivery]);
  } catch (error) {
    // A worker that died at it; the receiver may have the message.
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    return { kind: 'failed', message: `the try was lost (${error.cause?.message ?? error.message})` };
  }
}
