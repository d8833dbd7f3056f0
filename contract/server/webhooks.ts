import { z } from 'zod';
import { WebhookEvent } from '../workflow/webhook.ts';

/** One request that delivered a message or tried to. Times are ISO 8601. */
const Try = z.object({
  at: z.string(),
  kind: z.enum(['delivered', 'gone', 'refused', 'failed']),
  status: z.number().int().optional(),
  message: z.string(),
});

export const MessageView = z.object({
  /** `webhook-id`; the same when a message is sent again. */
  id: z.string(),
  event: WebhookEvent,
  /** Time of the event. */
  timestamp: z.string(),
  /** Time of the first delivery or of a replay. */
  sentAt: z.string(),
  state: z.enum(['delivering', 'delivered', 'failed']),
  tries: z.array(Try),
  /** Set if another try follows. */
  nextTryAt: z.string().optional(),
});
export type MessageView = z.infer<typeof MessageView>;

/** Answer of `GET /api/runs/{id}/webhooks`, in the order of sending. */
export const WebhooksBody = z.object({
  /** URL without its query string; undefined if the run has no webhook. */
  url: z.string().optional(),
  messages: z.array(MessageView),
});
export type WebhooksBody = z.infer<typeof WebhooksBody>;

/** Body of `POST /api/runs/{id}/webhooks/replay`. */
export const ReplayRequest = z.strictObject({
  /** Ids of messages; default: all messages of the run. */
  ids: z.array(z.string().min(1).max(100)).min(1).max(100).optional(),
});
export type ReplayRequest = z.infer<typeof ReplayRequest>;
