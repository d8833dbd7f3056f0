import { z } from 'zod';

/** What can be read from the body of any answer, from our container, another one or a proxy: each field for itself, none needed. */
export const AnswerBody = z
  .object({
    error: z.string().min(1).max(2000).optional().catch(undefined),
    code: z.string().optional().catch(undefined),
    retryAfter: z.unknown().optional(),
    needed: z.unknown().optional(),
    details: z.record(z.string(), z.unknown()).optional().catch(undefined),
  })
  .catch({});
export type AnswerBody = z.infer<typeof AnswerBody>;

/** `needed` of `chunk_count_mismatch` may stand beside the code or among the details (contract 1.4). */
export function detailsOf(body: AnswerBody): Record<string, unknown> | undefined {
  return typeof body.needed === 'number' ? { ...body.details, needed: body.needed } : body.details;
}
