import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { JobKind, JobView } from '../../contract/http/job.ts';
import type { Slots } from './slots.ts';

/** Encodes in segments, and those of them that had to be encoded again by a single run. */
interface SegmentedCounts {
  readonly jobs: number;
  readonly fallbacks: number;
}

export interface Metrics {
  recordEnd(kind: JobKind, state: Exclude<JobView['state'], 'running'>, seconds: number): void;
  /** A request was answered with 429. */
  recordRejection(kind: JobKind): void;
  readonly contentType: string;
  text(): Promise<string>;
}

/** From a telephone call to a day of music, in seconds. */
const secondsBuckets = [1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000];

/** What `GET /metrics` answers, in Prometheus' text format, with prom-client's default metrics of the process. */
export function createMetrics(slots: Slots, segmented: SegmentedCounts): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const jobSeconds = new Histogram({
    name: 'holdfast_job_duration_seconds',
    help: 'Jobs that have ended, by kind and end, and what they took',
    labelNames: ['kind', 'state'],
    buckets: secondsBuckets,
    registers,
  });
  const rejections = new Counter({
    name: 'holdfast_busy_rejections_total',
    help: 'Requests answered with 429, by kind',
    labelNames: ['kind'],
    registers,
  });
  registry.registerMetric(createGauge('holdfast_active_jobs', 'Jobs that hold a slot', () => slots.activeIds.size));
  registry.registerMetric(createGauge('holdfast_slots', 'Jobs that may run at once', () => slots.limit));
  registry.registerMetric(
    createCounter('holdfast_parallel_jobs_total', 'Jobs encoded on several cores', () => segmented.jobs),
  );
  registry.registerMetric(
    createCounter(
      'holdfast_parallel_fallbacks_total',
      'Jobs of those that had to be encoded again by a single run',
      () => segmented.fallbacks,
    ),
  );

  return {
    recordEnd: (kind, state, seconds) => jobSeconds.observe({ kind, state }, seconds),
    recordRejection: (kind) => rejections.inc({ kind }),
    contentType: registry.contentType,
    text: async () => await registry.metrics(),
  };
}

function createGauge(name: string, help: string, value: () => number): Gauge {
  return new Gauge({
    ...{ name, help, registers: [] },
    collect() {
      this.set(value());
    },
  });
}

/** Of what is counted elsewhere: it is read at each scrape. */
function createCounter(name: string, help: string, value: () => number): Counter {
  return new Counter({
    ...{ name, help, registers: [] },
    collect() {
      this.reset();
      this.inc(value());
    },
  });
}
