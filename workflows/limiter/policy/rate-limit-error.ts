import type { ThrottleSeconds } from '../../../contract/provider.ts';
import { providerWaitSeconds } from './provider-wait.ts';

export interface ProviderError {
  status?: number | undefined;
  type?: string | undefined;
  message: string;
}

const tokensPerDay = /tokens per day limit exceeded/i;
const requestsPerSecondOrMinute = /requests per (?:second|minute) limit exceeded/i;
const tooManyRequests = /too many requests/i;

export function isRateLimitError({ status, type, message }: ProviderError): boolean {
  return (
    status === 429 ||
    (type !== undefined && /^(?:.*\W)?RateLimitError$/.test(type)) ||
    [tooManyRequests, tokensPerDay, requestsPerSecondOrMinute].some((phrase) => phrase.test(message))
  );
}

/** Seconds to suspend a key: by the error text, or longer if the provider asks for it. */
export function throttleSeconds(
  message: string,
  retryAfterSeconds: number | undefined,
  throttle: ThrottleSeconds,
): number {
  const byText = tokensPerDay.test(message)
    ? throttle.day
    : requestsPerSecondOrMinute.test(message)
      ? throttle.rps
      : throttle.other;
  return Math.max(byText, providerWaitSeconds(retryAfterSeconds));
}
