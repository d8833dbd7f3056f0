import { z } from 'zod';
import type { Requester } from '../requester.ts';
import { hasUserInfo, HttpUrl } from '../http/url.ts';

/** Receiver of a run's events, and the name of the secret that signs them (docs/reference/webhooks.md). */
export const Webhook = z.strictObject({
  url: HttpUrl.refine((url) => !hasUserInfo(url), {
    error: 'may not carry a user name or password: the receiver knows whose request it is by the signature',
  }),
  /** Name of a worker's setting; the secret itself is never part of an input. */
  secret: z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, {
    error: 'must be the name of a secret: letters, digits and _, beginning with a letter',
  }),
});
export type Webhook = z.infer<typeof Webhook>;

export const WebhookEvent = z.enum(['run.started', 'run.waiting', 'run.completed', 'run.failed', 'run.cancelled']);
export type WebhookEvent = z.infer<typeof WebhookEvent>;

/** Body of each request (https://github.com/standard-webhooks/standard-webhooks, "Payload structure"). */
export const WebhookMessage = z.object({
  type: WebhookEvent,
  /** Time of the event, ISO 8601. */
  timestamp: z.string(),
  data: z.object({
    /** Id of the workflow. */
    id: z.string(),
    runId: z.string(),
    workflow: z.string(),
    state: z.enum(['queued', 'waiting', 'succeeded', 'failed', 'cancelled']),
    owner: z.string().optional(),
    /** Attempt of the step that waits or failed. */
    attempt: z.number().int().optional(),
    waiting: z
      .object({ reason: z.enum(['rate_limited', 'connection_error']), until: z.string(), seconds: z.number() })
      .optional(),
    /** The failure as a sentence. */
    error: z.string().optional(),
  }),
});
export type WebhookMessage = z.infer<typeof WebhookMessage>;

export interface WebhookDelivery {
  webhook: Webhook;
  /** `webhook-id`: the same in every try, so that receivers can detect duplicates. */
  messageId: string;
  message: WebhookMessage;
  /** Whoever must be allowed to use the secret; undefined if a Temporal client started the run without an owner. */
  requester?: Requester;
}

/** Result of one delivery request. */
export interface WebhookTry {
  /** `gone` and `refused` are not retried. */
  kind: 'delivered' | 'gone' | 'refused' | 'failed';
  /** HTTP status of the answer, if there was one. */
  status?: number;
  message: string;
  retryAfterSeconds?: number;
}
