import { metricMeter } from '@temporalio/workflow';

const descriptions = {
  holdfast_provider_permits: 'Permits granted by the limiter of a key',
  holdfast_provider_waits: 'Times that a chunk waited: for a permit, or after a failed attempt',
  holdfast_provider_rate_limit_events: 'Answers of a provider that were rate limits',
  holdfast_provider_timeouts: 'Calls that were cut at their time limit',
} as const;

/** Looked up for each count: there is no meter yet when this module is loaded. */
function count(name: keyof typeof descriptions, tags: Record<string, string>): void {
  metricMeter.createCounter(name, undefined, descriptions[name]).add(1, tags);
}

/** Exported by the worker's Prometheus endpoint. A replayed workflow does not count again. */
export const providerMetrics = {
  countPermit: (key: string) => count('holdfast_provider_permits', { key }),
  countWait: (key: string, reason: 'permit' | 'backoff') => count('holdfast_provider_waits', { key, reason }),
  countRateLimit: (key: string) => count('holdfast_provider_rate_limit_events', { key }),
  countTimeout: (key: string) => count('holdfast_provider_timeouts', { key }),
};
