export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Code of an error of the system or of undici, such as `ECONNREFUSED`. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Error code of a look-up whose name does not exist (NXDOMAIN) or has no address. */
export const unknownHost = 'ENOTFOUND';
