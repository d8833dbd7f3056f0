import { z } from 'zod';

/** The body of an answer that may come from a proxy or a container of another version. No field is required, and a bad one does not spoil the others. */
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

/** `needed` of `chunk_count_mismatch` may stand beside the code or in the details (docs/reference/chunks.md). */
export function detailsOf(body: AnswerBody): Record<string, unknown> | undefined {
  return typeof body.needed === 'number' ? { ...body.details, needed: body.needed } : body.details;
}
