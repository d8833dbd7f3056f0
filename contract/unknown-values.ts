export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Undefined for text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Code of an error of the system or of undici, such as `ECONNREFUSED`. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Message of an error; a thrown value that is no error is its own message. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Error code of a look-up whose name does not exist (NXDOMAIN) or has no address. */
export const unknownHost = 'ENOTFOUND';
