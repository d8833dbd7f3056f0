import type { z } from 'zod';
import { ProblemError } from '../problem-error.ts';

/** Limit of reported errors. */
export const mostErrors = 50;
const mostSentences = 5;

/** Parses a body or a query; the problem names each wrong field. */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalidRequest(parsed.error.issues);
}

/**
 * Throws for the first wrong item of a list, if the value is one. Zod collects the issues of all items: 200,000 wrong
 * ones would block the server for seconds and take a gigabyte.
 */
export function requireItems(item: z.ZodType, list: unknown, path: PropertyKey[]): void {
  if (!Array.isArray(list)) return;
  for (const [index, value] of list.entries()) {
    const { error } = item.safeParse(value);
    if (error === undefined) continue;
    throw invalidRequest(error.issues.map((issue) => ({ ...issue, path: [...path, index, ...issue.path] })));
  }
}

function invalidRequest(issues: readonly z.core.$ZodIssue[]): ProblemError {
  const errors = issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  const sentences = errors
    .slice(0, mostSentences)
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  return new ProblemError(
    'invalid_request',
    `The request is not valid. ${sentences.join('; ')}.`,
    errors.slice(0, mostErrors),
  );
}
