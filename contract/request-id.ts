/** Header that identifies a request in requests, answers and between the processes of a run. */
export const requestIdHeader = 'X-Request-Id';

/** Field of log lines, and of the memo of a run that a request started. */
export const requestIdField = 'requestId';

/** 1 to 128 printable ASCII characters. */
const pattern = /^[\x20-\x7e]{1,128}$/;

export function isRequestId(value: unknown): value is string {
  return typeof value === 'string' && pattern.test(value);
}
