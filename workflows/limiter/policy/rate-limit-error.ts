import type { ThrottleSeconds } from '../../../contract/provider.ts';
import { providerWaitSeconds } from './provider-wait.ts';

/** What is known of a provider's error. */
export interface ProviderError {
  status?: number | undefined;
  /** as the provider or its library names it */
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

/** How long a key that throttles is suspended: by the text of the error, or longer where the provider asks for longer. */
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
