import type { z } from 'zod';

/**
 * A bad setting, which stops its process at the start. The message names the variable and is all that a person sees.
 */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}

/** Variables with a value. Compose files write an unset variable as an empty one. */
export function givenVariables(environment: NodeJS.ProcessEnv): Record<string, string> {
  const entries = Object.entries(environment);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => (entry[1] ?? '') !== ''));
}

/** Reads the variables of a schema. Throws a SettingError with a sentence for each bad variable. */
export function parseSettings<Schema extends z.ZodObject>(
  schema: Schema,
  environment: NodeJS.ProcessEnv,
): z.output<Schema> {
  const given = givenVariables(environment);
  // Number(' ') is 0, and a token of spaces would protect nothing.
  const blank = Object.keys(schema.shape).filter((name) => given[name]?.trim() === '');
  const parsed = schema.safeParse(given);
  const issues = parsed.error?.issues.map(({ path, message }) => ({ name: String(path[0]), message })) ?? [];
  const sentences = [
    ...blank.map((name) => `${name} is not valid: it holds only spaces.`),
    ...issues
      .filter(({ name }) => !blank.includes(name))
      .map(({ name, message }) => `${name} is not valid: ${message.replace(/\.$/, '')}.`),
  ];
  // A number can break several rules of its range, and each has the same message.
  if (sentences.length > 0) throw new SettingError([...new Set(sentences)].join(' '));
  return parsed.data as z.output<Schema>;
}
