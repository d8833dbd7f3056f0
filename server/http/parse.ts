import type { z } from 'zod';
import { ProblemError } from '../problem-error.ts';

/** Limit of reported errors. */
export const mostErrors = 50;
const mostSentences = 5;

/** Parses a body or a query; the problem names each wrong field. */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  const sentences = errors
    .slice(0, mostSentences)
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  throw new ProblemError(
    'invalid_request',
    `The request is not valid. ${sentences.join('; ')}.`,
    errors.slice(0, mostErrors),
  );
}
