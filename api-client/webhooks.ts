import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import type { WebhookMessage } from '../contract/workflow/webhook.ts';

export { WebhookVerificationError };
export type { WebhookMessage };

/**
 * What a run tells (docs/reference/webhooks.md), once its signature is proven. `body` is the text of the request as it came: parsed and
 * written again it has another signature. Of several secrets one has to fit, as while one takes over from another. Throws a
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
  throw new WebhookVerificationError('No secret fits the signature, or it is not from these minutes.');
}
