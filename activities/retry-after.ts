export type AnswerHeaders = Record<string, string | string[] | undefined>;

/**
 * The first valid wait (docs/reference/retries.md), at least one second. A server that needs no wait sends 0.
 * `bodyField` is the body's `retryAfter`, unchecked.
 */
export function readRetryAfter(headers: AnswerHeaders, nowMs: number, bodyField?: unknown): number | undefined {
  const fromBody = typeof bodyField === 'number' && bodyField >= 0 ? bodyField : undefined;
  const fromHeader = headerSeconds(headers, nowMs);
  const waits = [fromBody === 0 ? undefined : fromBody, fromHeader, fromBody];
  const seconds = waits.find((wait) => wait !== undefined && Number.isFinite(wait));
  return seconds === undefined ? undefined : Math.max(1, seconds);
}

function headerSeconds(headers: AnswerHeaders, nowMs: number): number | undefined {
  const header = headerOf(headers, 'retry-after')?.trim() ?? '';
  if (/^\d+$/.test(header)) return Number(header);
  const until = httpDateMs(header);
  if (until === undefined) return undefined;
  // Rounded up, because HTTP-dates have no fractions and a retry must not come early.
  return Math.ceil((until - clockOf(headers, nowMs)) / 1000);
}

/** The answer's own clock, to which its dates refer. */
export function clockOf(headers: AnswerHeaders, nowMs: number): number {
  return httpDateMs(headerOf(headers, 'date') ?? '') ?? nowMs;
}

export function headerOf(headers: AnswerHeaders, name: string): string | undefined {
  return [headers[name]].flat()[0];
}

/** Date.parse alone accepts almost anything as a date, for example `7 s`. */
function httpDateMs(text: string): number | undefined {
  const ms = /^[A-Z][a-z]{2,8},? .*\d{2}:\d{2}:\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isFinite(ms) ? ms : undefined;
}
