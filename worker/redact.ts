import { redactUrlsIn } from '../contract/shown-url.ts';

/** Log fields as they may be shown: no task tokens, no signed URLs. */
export function redacted(fields: Record<string, unknown>): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'taskToken') continue;
    shown[name] = typeof value === 'string' ? redactUrlsIn(value) : redactedError(value);
  }
  return shown;
}

function redactedError(value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const { name, message, stack } = value;
  return {
    name,
    message: redactUrlsIn(message),
    ...(stack !== undefined && { stack: redactUrlsIn(stack) }),
    ...(value.cause !== undefined && { cause: redactedError(value.cause) }),
  };
}
