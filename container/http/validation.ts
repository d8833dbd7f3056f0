import type { z } from 'zod';
import { ServiceError } from '../errors.ts';

/** Parses a request's body by its schema; the error names each wrong field. */
export function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const sentences = issues
    .slice(0, 5)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`));
  throw new ServiceError('invalid_request', `The request is not valid. ${sentences.join('; ')}`, {
    // The messages name fields and rules; zod's `input` is not among them, so no URL is repeated here.
    details: { issues: issues.slice(0, 50).map(({ code, path, message }) => ({ code, path, message })) },
  });
}
