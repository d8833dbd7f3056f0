import { redactUrlsIn } from '../contract/shown-url.ts';

/** Removes task tokens and signatures of URLs from log fields. */
export function redactFields(fields: Record<string, unknown>): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'taskToken') continue;
    shown[name] = typeof value === 'string' ? redactUrlsIn(value) : redactError(value);
  }
  return shown;
}

function redactError(value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const { name, message, stack } = value;
  return {
    name,
    message: redactUrlsIn(message),
    ...(stack !== undefined && { stack: redactUrlsIn(stack) }),
    ...(value.cause !== undefined && { cause: redactError(value.cause) }),
  };
}
