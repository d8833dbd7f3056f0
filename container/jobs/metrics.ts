import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { JobKind, JobView } from '../../contract/http/job.ts';
import type { Admission } from './slots.ts';
import { parallelCounters } from '../encode/segmented/counters.ts';

export interface Metrics {
  jobEnded(kind: JobKind, state: Exclude<JobView['state'], 'running'>, seconds: number): void;
  /** A request was answered with 429. */
  rejected(kind: JobKind): void;
  readonly contentType: string;
  text(): Promise<string>;
}

/** From a telephone call to a day of music. */
const secondsBuckets = [1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000];

/** What `GET /metrics` tells, in Prometheus' text format; with it goes what prom-client knows of the process. */
export function createMetrics(admission: Admission): Metrics {
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
  registry.registerMetric(gauge('holdfast_active_jobs', 'Jobs that hold a slot', () => admission.activeIds.size));
  registry.registerMetric(gauge('holdfast_slots', 'Jobs that may run at once', () => admission.limit));
  registry.registerMetric(
    counted('holdfast_parallel_jobs_total', 'Jobs encoded on several cores', () => parallelCounters.splitJobs),
  );
  registry.registerMetric(
    counted(
      'holdfast_parallel_fallbacks_total',
      'Jobs of those that had to be encoded again by a single run',
      () => parallelCounters.fallbacks,
    ),
  );

  return {
    jobEnded: (kind, state, seconds) => jobSeconds.observe({ kind, state }, seconds),
    rejected: (kind) => rejections.inc({ kind }),
    contentType: registry.contentType,
    text: async () => await registry.metrics(),
  };
}

function gauge(name: string, help: string, value: () => number): Gauge {
  return new Gauge({
    ...{ name, help, registers: [] },
    collect() {
      this.set(value());
    },
  });
}

/** Counted elsewhere. */
function counted(name: string, help: string, value: () => number): Counter {
  return new Counter({
    ...{ name, help, registers: [] },
    collect() {
      this.reset();
      this.inc(value());
    },
  });
}
