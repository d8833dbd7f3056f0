import type { z } from 'zod';
import { CliError } from '../cli-error.ts';

/** A workflow's input as the contract wants it, or a sentence on what is wrong with it. */
export function checked<T extends z.ZodType>(schema: T, input: unknown): z.infer<T> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const sentences = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new CliError(`This cannot be run. ${sentences.join('; ')}.`);
}
