import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type AudioCodec, audioCodecs, probedNames } from '../../contract/audio-codecs.ts';
import { type ErrorCode, statusByErrorCode } from '../../contract/error-codes.ts';
import { type EndedJobView, JobKind, JobPhase, type JobResult } from '../../contract/http/job.ts';
import { type VideoCodec, videoCodecFacts, videoCodecs } from '../../contract/video-codecs.ts';
import { buildInfo } from '../../process/this-process.ts';
import type { Scratch } from './scratch.ts';
import type { Slots } from './slots.ts';

export interface Metrics {
  recordEnd(end: EndedJobView, times: { seconds: number; phaseSeconds: ReadonlyMap<JobPhase, number> }): void;
  /** Counts an answer of 429. */
  recordRejection(kind: JobKind): void;
  readonly contentType: string;
  text(): Promise<string>;
}

/** Values that are counted elsewhere and read at each scrape. */
interface MetricSources {
  slots: Slots;
  scratch: Pick<Scratch, 'freeBytes'>;
  ffmpegMemoryBytes(): Promise<number>;
  segmented: { readonly jobs: number; readonly fallbacks: number };
  isDraining(): boolean;
  buildId: string | undefined;
  transfers: { readonly downloadedBytes: number; readonly uploadedBytes: number; readonly uploadRetries: number };
}

/** Seconds: from a telephone call to a day of music. */
const secondsBuckets = [1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000];

const endStates = ['succeeded', 'failed', 'cancelled'] as const;

/**
 * Metrics in Prometheus' text format with prom-client's default metrics. Every series starts at 0: `rate()` loses the
 * first event of a series that appears with it.
 */
export function createMetrics(sources: MetricSources): Metrics {
  const { slots, scratch, ffmpegMemoryBytes, segmented, transfers } = sources;
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const build = buildInfo.labels(sources.buildId);
  const { name, help } = buildInfo;
  new Gauge({ name, help, labelNames: Object.keys(build), registers }).set(build, 1);
  const jobSeconds = new Histogram({
    name: 'holdfast_job_duration_seconds',
    help: 'Jobs that have ended, by kind and end, and what they took',
    labelNames: ['kind', 'state'],
    buckets: secondsBuckets,
    registers,
  });
  const phaseSeconds = new Histogram({
    name: 'holdfast_job_phase_duration_seconds',
    help: 'Phases of jobs that have ended, by kind, and what they took',
    labelNames: ['kind', 'phase'],
    buckets: secondsBuckets,
    registers,
  });
  const failures = new Counter({
    name: 'holdfast_job_failures_total',
    help: 'Jobs that have failed or were cancelled, by the code of their error',
    labelNames: ['code'],
    registers,
  });
  const rejections = new Counter({
    name: 'holdfast_busy_rejections_total',
    help: 'Requests answered with 429, by kind',
    labelNames: ['kind'],
    registers,
  });
  const mediaSeconds = new Counter({
    name: 'holdfast_encoded_media_seconds_total',
    help: 'Length of the streams that jobs have encoded and delivered, by codec',
    labelNames: ['codec'],
    registers,
  });
  for (const kind of JobKind.options) {
    rejections.inc({ kind }, 0);
    for (const state of endStates) jobSeconds.zero({ kind, state });
    for (const phase of JobPhase.options) phaseSeconds.zero({ kind, phase });
  }
  for (const code of Object.keys(statusByErrorCode) as ErrorCode[]) failures.inc({ code }, 0);
  for (const codec of encodedCodecs) mediaSeconds.inc({ codec }, 0);

  const gauge = (name: string, help: string, value: () => number | Promise<number | undefined>): Gauge =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set((await value()) ?? Number.NaN);
      },
    });
  const counter = (name: string, help: string, value: () => number): Counter =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(value());
      },
    });
  gauge('holdfast_active_jobs', 'Jobs that hold a slot', () => slots.activeIds.size);
  gauge('holdfast_draining', 'Whether the process stops and starts no further work', () =>
    sources.isDraining() ? 1 : 0,
  );
  gauge('holdfast_slots', 'Jobs that may run at once', () => slots.limit);
  gauge('holdfast_scratch_free_bytes', 'Free space where jobs keep their files', () => scratch.freeBytes());
  gauge('holdfast_ffmpeg_resident_memory_bytes', 'Memory of the media tools at work', ffmpegMemoryBytes);
  counter('holdfast_parallel_jobs_total', 'Jobs encoded on several cores', () => segmented.jobs);
  counter(
    'holdfast_parallel_fallbacks_total',
    'Jobs of those that had to be encoded again by a single run',
    () => segmented.fallbacks,
  );
  counter('holdfast_downloaded_bytes_total', 'Bytes of sources', () => transfers.downloadedBytes);
  counter('holdfast_uploaded_bytes_total', 'Bytes of files that were stored', () => transfers.uploadedBytes);
  counter('holdfast_upload_retries_total', 'Requests to a store that were made again', () => transfers.uploadRetries);

  return {
    recordEnd(end, times) {
      const { kind, state } = end;
      jobSeconds.observe({ kind, state }, times.seconds);
      for (const [phase, seconds] of times.phaseSeconds) phaseSeconds.observe({ kind, phase }, seconds);
      if (end.state !== 'succeeded') failures.inc({ code: end.error.code });
      else for (const { codec, seconds } of encodedIn(end.result)) mediaSeconds.inc({ codec }, seconds);
    },
    recordRejection: (kind) => rejections.inc({ kind }),
    contentType: registry.contentType,
    text: async () => await registry.metrics(),
  };
}

/** Codec names of ffprobe. */
const encodedCodecs = new Set([
  ...(Object.keys(videoCodecs) as VideoCodec[]).map((codec) => videoCodecFacts(codec).probedName),
  ...(Object.keys(audioCodecs) as AudioCodec[]).flatMap(probedNames),
]);

/** Lists the encoded streams of each file; copies are left out. */
function encodedIn(result: JobResult): { codec: string; seconds: number }[] {
  if (!('outputs' in result)) return [];
  return result.outputs.flatMap(({ streams = [], duration = 0 }) =>
    streams.filter((stream) => stream.copied !== true).map((stream) => ({ codec: stream.codec, seconds: duration })),
  );
}
