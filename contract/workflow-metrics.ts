import type { WorkflowType } from './workflow/inputs.ts';

/** Counters of workflow code; a worker's `/metrics` appends `_total` to the names. */
export const workflowCounters = {
  holdfast_run_ends: 'Runs that have ended, by how',
  holdfast_run_waits: 'Times that a step of a run waited before another attempt, by the reason',
  holdfast_segments: 'Segments of spread runs that were encoded, by the job that succeeded first',
  holdfast_segment_copies: 'Second jobs that were started for slow segments',
  holdfast_webhook_tries: 'Requests to webhooks, by what became of them',
  holdfast_provider_permits: 'Permits granted by the limiter of a key',
  holdfast_provider_waits: 'Times that a chunk waited: for a permit, or after a failed attempt',
  holdfast_provider_rate_limit_events: 'Answers of a provider that were rate limits',
  holdfast_provider_timeouts: 'Calls that were cut at their time limit',
  holdfast_provider_cost_millionths: 'Cost of answered calls by the price of their key, in millionths of the currency',
} as const;

/** Histogram of activities: seconds from the last heartbeat of a lost worker until another worker continues its work. */
export const takeoverHistogram = {
  name: 'holdfast_job_takeover_seconds',
  help: 'Time from the last sign of a lost worker until another worker continued its work',
  buckets: [1, 2, 5, 10, 15, 30, 60, 120, 300, 600],
} as const;

/** Histogram of Temporal's SDK in milliseconds. Its own buckets have nothing between 100 s and 1,000 s. */
export const waitHistogram = {
  name: 'temporal_activity_schedule_to_start_latency',
  buckets: [100, 1_000, 5_000, 15_000, 60_000, 300_000, 900_000, 1_800_000, 3_600_000, 14_400_000, 86_400_000],
} as const;

export type WorkflowCounter = keyof typeof workflowCounters;

interface CounterSeries {
  name: WorkflowCounter;
  workflowType: string;
  tags: Record<string, string>;
}

const runTypes: readonly WorkflowType[] = ['encode', 'chunking', 'processing'];
const runEnds = ['succeeded', 'failed', 'cancelled'] as const;
const runWaits = ['rate_limited', 'connection_error'] as const;
/** The first job of a segment, or the second one of a slow segment. */
const segmentJobs = ['first', 'second'] as const;
/** `failed`: another try follows. */
const webhookResults = ['delivered', 'failed', 'given_up'] as const;
const providerWaits = ['permit', 'backoff'] as const;

export type RunEnd = (typeof runEnds)[number];
export type RunWait = (typeof runWaits)[number];
export type SegmentJob = (typeof segmentJobs)[number];
export type WebhookResult = (typeof webhookResults)[number];
export type ProviderWait = (typeof providerWaits)[number];

/** Every series that a worker with these provider keys can have. */
export function workflowSeries(providerKeys: readonly string[]): CounterSeries[] {
  const webhook = { name: 'holdfast_webhook_tries', workflowType: 'webhook' } as const;
  const workflowType = 'processing';
  return [
    ...runTypes.flatMap((workflowType): CounterSeries[] => [
      ...runEnds.map((end) => ({ name: 'holdfast_run_ends' as const, workflowType, tags: { end } })),
      ...runWaits.map((reason) => ({ name: 'holdfast_run_waits' as const, workflowType, tags: { reason } })),
    ]),
    ...segmentJobs.map((winner) => ({ name: 'holdfast_segments' as const, workflowType: 'encode', tags: { winner } })),
    { name: 'holdfast_segment_copies', workflowType: 'encode', tags: {} },
    ...webhookResults.map((result) => ({ ...webhook, tags: { result } })),
    ...providerKeys.flatMap((key): CounterSeries[] => [
      { name: 'holdfast_provider_permits', workflowType, tags: { key } },
      ...providerWaits.map((reason) => ({
        ...{ name: 'holdfast_provider_waits' as const, workflowType, tags: { key, reason } },
      })),
      { name: 'holdfast_provider_rate_limit_events', workflowType, tags: { key } },
      { name: 'holdfast_provider_timeouts', workflowType, tags: { key } },
      { name: 'holdfast_provider_cost_millionths', workflowType, tags: { key } },
    ]),
  ];
}
