export interface RetryAfterSources {
  /** The body's `retryAfter`, unchecked. */
  bodyField: unknown;
  retryAfterHeader: string | undefined;
  /** The answer's own clock, to which an HTTP-date refers. */
  dateHeader: string | undefined;
}

/** The first valid wait (docs/reference/retries.md), at least one second. A server that needs no wait sends 0. */
export function readRetryAfter(sources: RetryAfterSources, nowMs: number): number | undefined {
  const fromBody = typeof sources.bodyField === 'number' && sources.bodyField >= 0 ? sources.bodyField : undefined;
  const fromHeader = headerSeconds(sources, nowMs);
  const waits = [fromBody === 0 ? undefined : fromBody, fromHeader, fromBody];
  const seconds = waits.find((wait) => wait !== undefined && Number.isFinite(wait));
  return seconds === undefined ? undefined : Math.max(1, seconds);
}

function headerSeconds(sources: RetryAfterSources, nowMs: number): number | undefined {
  const header = sources.retryAfterHeader?.trim() ?? '';
  if (/^\d+$/.test(header)) return Number(header);
  const until = httpDateMs(header);
  if (until === undefined) return undefined;
  // Rounded up, because HTTP-dates have no fractions and a retry must not come early.
  return Math.ceil((until - (httpDateMs(sources.dateHeader ?? '') ?? nowMs)) / 1000);
}

/** Date.parse alone accepts almost anything as a date, for example `7 s`. */
export function httpDateMs(text: string): number | undefined {
  const ms = /^[A-Z][a-z]{2,8},? .*\d{2}:\d{2}:\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isFinite(ms) ? ms : undefined;
}
