import { z } from 'zod';
import { WebhookEvent } from '../workflow/webhook.ts';

/** One request that was made with a message. Times are ISO 8601. */
const Try = z.object({
  at: z.string(),
  kind: z.enum(['delivered', 'gone', 'refused', 'failed']),
  status: z.number().int().optional(),
  message: z.string(),
});

export const MessageView = z.object({
  /** `webhook-id`, the same where a message is sent again. */
  id: z.string(),
  event: WebhookEvent,
  /** When it happened. */
  timestamp: z.string(),
  /** When it was sent, for the first time or again. */
  sentAt: z.string(),
  state: z.enum(['delivering', 'delivered', 'failed']),
  tries: z.array(Try),
  /** Where it is to be tried again. */
  nextTryAt: z.string().optional(),
});
export type MessageView = z.infer<typeof MessageView>;

/** The answer of `GET /api/runs/{id}/webhooks`: in the order in which they were sent. */
export const WebhooksBody = z.object({
  /** URL without its query string; missing where the run has no webhook. */
  url: z.string().optional(),
  messages: z.array(MessageView),
});
export type WebhooksBody = z.infer<typeof WebhooksBody>;

/** The body of `POST /api/runs/{id}/webhooks/replay`. */
export const ReplayRequest = z.strictObject({
  /** Ids of messages; the default is all messages of the run. */
  ids: z.array(z.string().min(1).max(100)).min(1).max(100).optional(),
});
export type ReplayRequest = z.infer<typeof ReplayRequest>;
