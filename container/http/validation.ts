import type { z } from 'zod';
import { forbiddenUrlCode } from '../../contract/http/url.ts';
import { ServiceError } from '../errors.ts';

/**
 * Parses a request's body by its schema. The error names each wrong field. It is a forbidden-URL error if every issue
 * is a URL that may not be used.
 */
export function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const shown = issues.slice(0, 50).map(({ code, path, message }) => ({
    code,
    path: path.map((name) => (typeof name === 'string' ? shorten(name) : name)),
    message: shorten(message),
  }));
  const sentences = shown
    .slice(0, 5)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`));
  const forbidden = issues.map(forbiddenUrlCode);
  const forbiddenCode = forbidden.includes(undefined) ? undefined : forbidden[0];
  const what =
    forbiddenCode === undefined ? 'The request is not valid.' : 'The request names a URL that is not allowed.';
  throw new ServiceError(forbiddenCode ?? 'invalid_request', `${what} ${sentences.join('; ')}`, {
    // The messages name fields and rules. They repeat no URL, because zod's `input` is left out.
    details: { issues: shown },
  });
}

/** Unknown names come from the request, and may be as long as the request. */
function shorten(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
