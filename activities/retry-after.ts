/** Where the answer of a container or a provider may say how long to wait. */
export interface RetryAfterSources {
  /** `retryAfter` of the body, whatever it is */
  bodyField: unknown;
  retryAfterHeader: string | undefined;
  /** the answer's own clock, against which an HTTP-date is meant */
  dateHeader: string | undefined;
}

/** The first source with a usable value (docs/reference/retries.md); less than a second counts as one. */
export function readRetryAfter(sources: RetryAfterSources, nowMs: number): number | undefined {
  const fromBody = typeof sources.bodyField === 'number' ? sources.bodyField : undefined;
  for (const seconds of [fromBody, headerSeconds(sources, nowMs)]) {
    if (seconds !== undefined && Number.isFinite(seconds) && seconds > 0) return Math.max(1, seconds);
  }
  return undefined;
}

function headerSeconds(sources: RetryAfterSources, nowMs: number): number | undefined {
  const header = sources.retryAfterHeader?.trim() ?? '';
  if (/^\d+$/.test(header)) return Number(header);
  const until = httpDateMs(header);
  if (until === undefined) return undefined;
  // Rounded up: HTTP-dates have no fractions, and a retry must not come early.
  return Math.ceil((until - (httpDateMs(sources.dateHeader ?? '') ?? nowMs)) / 1000);
}

/** Date.parse alone takes almost anything for a date, `7 s` for instance. */
export function httpDateMs(text: string): number | undefined {
  const ms = /^[A-Z][a-z]{2,8},? .*\d{2}:\d{2}:\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isFinite(ms) ? ms : undefined;
}
