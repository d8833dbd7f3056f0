import { z } from 'zod';
import { JobUsage } from '../../contract/usage.ts';

/** Body of an answer, possibly of a proxy or an incompatible container. All fields are optional; invalid ones are dropped. */
export const AnswerBody = z
  .object({
    error: z.string().min(1).max(2000).optional().catch(undefined),
    code: z.string().optional().catch(undefined),
    retryAfter: z.unknown().optional(),
    needed: z.unknown().optional(),
    details: z.record(z.string(), z.unknown()).optional().catch(undefined),
    usage: JobUsage.optional().catch(undefined),
  })
  .catch({});
export type AnswerBody = z.infer<typeof AnswerBody>;

/** `needed` of `chunk_count_mismatch` may be in the body or in its details (docs/reference/chunks.md). */
export function detailsOf(body: AnswerBody): Record<string, unknown> | undefined {
  return typeof body.needed === 'number' ? { ...body.details, needed: body.needed } : body.details;
}
