import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import type { WebhookMessage } from '../contract/workflow/webhook.ts';

export { WebhookVerificationError };
export type { WebhookMessage };

/**
 * Verifies the signature of a webhook (docs/reference/webhooks.md) and returns its message. `body` is the exact text of the request:
 * re-serialised JSON has another signature. One of several secrets must match, so a secret can be rotated. Throws a
 * WebhookVerificationError.
 */
export function verifyWebhook(
  body: string,
  headers: Headers | Record<string, string | string[] | undefined>,
  secrets: string | readonly string[],
): WebhookMessage {
  const given = headers instanceof Headers ? Object.fromEntries(headers) : headers;
  const texts = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value ?? '')]));
  for (const secret of [secrets].flat()) {
    try {
      return new Webhook(secret).verify(body, texts) as WebhookMessage;
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
    }
  }
  throw new WebhookVerificationError(
    'No secret matches the signature, or the timestamp is too far from the current time.',
  );
}
