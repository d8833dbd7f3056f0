import { isRecord, parseJson } from '../../contract/unknown-values.ts';
import { type AnswerHeaders, clockOf, headerOf, readRetryAfter } from '../retry-after.ts';

export interface ErrorAnswer {
  message: string;
  errorType?: string;
  retryAfterSeconds?: number;
}

export function readErrorAnswer(status: number, headers: AnswerHeaders, text: string, nowMs: number): ErrorAnswer {
  const { message, errorType } = readError(text);
  const seconds = waitSeconds(headers, nowMs);
  return {
    message: message === '' ? `The provider answered ${status}` : message,
    ...(errorType !== undefined && { errorType }),
    ...(seconds !== undefined && { retryAfterSeconds: seconds }),
  };
}

/** Reads OpenAI's `{"error": {"message", "type", "code"}}`, `{"error": "…"}`, `{"message"}`, `{"detail"}`, or plain text. */
function readError(text: string): { message: string; errorType?: string } {
  const body = parseJson(text);
  if (body === undefined) return { message: toOneLine(text.replace(/<[^>]*>/g, ' ')) };
  const outer = isRecord(body) ? body : {};
  const inner = isRecord(outer['error']) ? outer['error'] : outer;
  const stated = [inner['message'], outer['error'], outer['message'], outer['detail']].find(isText);
  // The whole body of an unknown form is the message, because its words may reveal a rate limit.
  const message = stated ?? (/[a-z]/i.test(text) ? toOneLine(text) : '');
  const errorType = [inner['type'], inner['code'], inner['name']].find(isText);
  return errorType === undefined ? { message } : { message, errorType };
}

function toOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** The longest wait in `retry-after-ms`, `retry-after` and the resets of exhausted limits. */
function waitSeconds(headers: AnswerHeaders, nowMs: number): number | undefined {
  const asked = [
    millisecondsHeader(headers),
    readRetryAfter(headers, nowMs),
    ...limitHeaders.map((names) => resetSeconds(headers, names, nowMs)),
  ].filter((seconds) => seconds !== undefined);
  return asked.length === 0 ? undefined : Math.max(...asked);
}

function millisecondsHeader(headers: AnswerHeaders): number | undefined {
  const text = headerOf(headers, 'retry-after-ms') ?? '';
  return /^\d+(?:\.\d+)?$/.test(text) && Number(text) > 0 ? Number(text) / 1000 : undefined;
}

/** Header names of OpenAI's two limits, of most others and of the IETF draft. */
const limitHeaders = [
  { remaining: 'x-ratelimit-remaining-requests', reset: 'x-ratelimit-reset-requests' },
  { remaining: 'x-ratelimit-remaining-tokens', reset: 'x-ratelimit-reset-tokens' },
  { remaining: 'x-ratelimit-remaining', reset: 'x-ratelimit-reset' },
  { remaining: 'ratelimit-remaining', reset: 'ratelimit-reset' },
];

/** Larger numbers are seconds of the epoch (this one is in 2001), not seconds from now. */
const firstEpochSeconds = 1e9;

/** Seconds until an exhausted limit resets. While requests or tokens remain, the reset is no reason to wait. */
function resetSeconds(
  headers: AnswerHeaders,
  { remaining, reset }: (typeof limitHeaders)[number],
  nowMs: number,
): number | undefined {
  const left = headerOf(headers, remaining);
  if (left !== undefined && Number(left) > 0) return undefined;
  const seconds = goDurationSeconds(headerOf(headers, reset) ?? '');
  if (seconds === undefined || seconds < firstEpochSeconds) return seconds;
  // Compared with the provider's clock, because ours may be wrong.
  const fromNow = Math.ceil(seconds - clockOf(headers, nowMs) / 1000);
  return fromNow > 0 ? fromNow : undefined;
}

const unitSeconds: Record<string, number> = { h: 3600, m: 60, s: 1, ms: 0.001 };

/** OpenAI writes `1s`, `6m0s`, `120ms`; others write plain seconds. */
export function goDurationSeconds(text: string): number | undefined {
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text) > 0 ? Number(text) : undefined;
  if (!/^(?:\d+(?:\.\d+)?(?:h|ms|m|s))+$/.test(text)) return undefined;
  let seconds = 0;
  for (const [, number, unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g)) {
    seconds += Number(number) * (unitSeconds[unit] ?? 0);
  }
  return seconds > 0 ? Math.round(seconds * 1000) / 1000 : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
