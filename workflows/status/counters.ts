import { metricMeter } from '@temporalio/workflow';
import {
  type ProviderWait,
  type RunEnd,
  type RunWait,
  type SegmentJob,
  type WebhookResult,
  type WorkflowCounter,
  workflowCounters,
} from '../../contract/workflow-metrics.ts';

/** Looks up the counter each time, because no meter exists when this module is loaded. */
function count(name: WorkflowCounter, tags: Record<string, string>, value = 1): void {
  metricMeter.createCounter(name, undefined, workflowCounters[name]).add(value, tags);
}

/** The worker's Prometheus endpoint exports the counts. Replay does not count again. */
export const runMetrics = {
  countEnd: (end: RunEnd) => count('holdfast_run_ends', { end }),
  countWait: (reason: RunWait) => count('holdfast_run_waits', { reason }),
  countSegment: (winner: SegmentJob) => count('holdfast_segments', { winner }),
  countSegmentCopy: () => count('holdfast_segment_copies', {}),
  countWebhookTry: (result: WebhookResult) => count('holdfast_webhook_tries', { result }),
};

export const providerMetrics = {
  countPermit: (key: string) => count('holdfast_provider_permits', { key }),
  countWait: (key: string, reason: ProviderWait) => count('holdfast_provider_waits', { key, reason }),
  countRateLimit: (key: string) => count('holdfast_provider_rate_limit_events', { key }),
  countTimeout: (key: string) => count('holdfast_provider_timeouts', { key }),
  /** Temporal's counters hold whole numbers. */
  countCost: (key: string, cost: number) =>
    count('holdfast_provider_cost_millionths', { key }, Math.round(cost * 1_000_000)),
};
