/** A presigned URL's query string is a key to the object. */
export function withoutQueryStrings(text: string): string {
  return text.replace(/(https?:\/\/[^\s"'<>?#]+)[?#][^\s"'<>]*/g, '$1?…');
}

/** Log fields as they may be shown: no task tokens, no signed URLs. */
export function redacted(fields: Record<string, unknown>): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'taskToken') continue;
    shown[name] = typeof value === 'string' ? withoutQueryStrings(value) : redactedError(value);
  }
  return shown;
}

function redactedError(value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const { name, message, stack } = value;
  return {
    name,
    message: withoutQueryStrings(message),
    ...(stack !== undefined && { stack: withoutQueryStrings(stack) }),
    ...(value.cause !== undefined && { cause: redactedError(value.cause) }),
  };
}
