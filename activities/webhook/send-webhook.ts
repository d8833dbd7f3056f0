import { Context } from '@temporalio/activity';
import { Webhook as Signer } from 'standardwebhooks';
import { Agent, request } from 'undici';
import { type Requester, requesterOf } from '../../contract/requester.ts';
import type { Webhook, WebhookDelivery, WebhookTry } from '../../contract/workflow/webhook.ts';
import { AddressNotAllowedError, type AllowedAddresses } from '../../network/address-guard.ts';
import { guardedConnector } from '../../network/guarded-connector.ts';
import { traceHeaders } from '../../tracing/propagate.ts';
import { type AnswerHeaders, readRetryAfter } from '../retry-after.ts';
import { findSecret, type Secrets } from '../secrets.ts';

export type WebhookSecrets = Secrets<readonly string[]>;

export interface WebhookSettings {
  /** Secrets by name in capitals; a receiver has several while it rotates them. */
  secrets: WebhookSecrets;
  /** ALLOW_PRIVATE_ADDRESSES */
  allowed: AllowedAddresses;
}

/** Standard Webhooks: 15 to 30 seconds. */
const answerTimeoutMs = 15_000;
/** Only the status of an answer counts, so a longer body is not read. */
const mostAnswerBytes = 64 * 1024;

/** Sends one message in one request. Returns the outcome and never throws it. */
export function sendWebhookActivity({ secrets, allowed }: WebhookSettings) {
  const agent = new Agent({
    connect: guardedConnector(allowed),
    keepAliveTimeout: 4_000,
    maxResponseSize: mostAnswerBytes,
  });
  return async ({ webhook, messageId, message, requester }: WebhookDelivery): Promise<WebhookTry> => {
    // Older versions sent no requester.
    const known = findWebhookSecret(secrets, webhook, requester ?? requesterOf(undefined, message.data.owner));
    if (known === undefined) return { kind: 'failed', message: `this worker has no ${missingSecret(webhook)}` };
    const body = JSON.stringify(message);
    // Receivers refuse a time that is minutes off. This worker's clock may be behind Temporal's, which set the other time.
    const sentAt = new Date(Math.max(Date.now(), Context.current().info.currentAttemptScheduledTimestampMs));
    const deadline = AbortSignal.timeout(answerTimeoutMs);
    try {
      const answer = await request(webhook.url, {
        method: 'POST',
        headers: {
          ...traceHeaders(),
          'content-type': 'application/json',
          'user-agent': 'Holdfast',
          'webhook-id': messageId,
          'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
          'webhook-signature': known.map((secret) => new Signer(secret).sign(messageId, sentAt, body)).join(' '),
        },
        body,
        signal: AbortSignal.any([deadline, Context.current().cancellationSignal]),
        dispatcher: agent,
      });
      await answer.body.dump({ limit: mostAnswerBytes }).catch(() => undefined);
      return readAnswer(answer.statusCode, answer.headers);
    } catch (error) {
      if (Context.current().cancellationSignal.aborted) throw error;
      if (error instanceof AddressNotAllowedError) return { kind: 'refused', message: error.message };
      const reason = deadline.aborted ? `no answer within ${answerTimeoutMs / 1000} s` : reasonOf(error);
      return { kind: 'failed', message: `the receiver was unreachable (${reason})` };
    }
  };
}

function readAnswer(status: number, headers: AnswerHeaders): WebhookTry {
  const answered = { status, message: `the receiver answered ${status}` };
  if (status >= 200 && status < 300) return { kind: 'delivered', ...answered };
  // The receiver unsubscribes (Standard Webhooks, "Disabling"). Redirects are not followed, because nobody signed for the target.
  if (status === 410) return { kind: 'gone', ...answered };
  const retryAfterSeconds = readRetryAfter(headers, Date.now());
  return { kind: 'failed', ...answered, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}

export function findWebhookSecret(
  secrets: WebhookSecrets,
  { secret, url }: Webhook,
  requester: Requester | undefined,
): readonly string[] | undefined {
  return findSecret(secrets, secret.toUpperCase(), { requester, url });
}

/** Names a secret that does not exist, or that the run may not use. */
export function missingSecret({ secret }: Webhook): string {
  return `WEBHOOK_SECRET_${secret.toUpperCase()} for this run and this URL`;
}
