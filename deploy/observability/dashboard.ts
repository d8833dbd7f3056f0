/**
 * Prints the Grafana dashboard: `node deploy/observability/dashboard.ts > deploy/observability/dashboard.json`. Plain objects of the
 * dashboard's schema (version 39): Grafana's own builder has no release of its own yet (0.0.21), and brings 60 panels where four lines do.
 */
import { fileURLToPath } from 'node:url';

export interface Panel {
  title: string;
  kind: 'timeseries' | 'stat';
  /** as Grafana names units */
  unit: string;
  /** Each query with the legend of its series. */
  queries: readonly (readonly [expression: string, legend: string])[];
  /** What somebody who looks at it for the first time should know. */
  about: string;
}

const p95 = (metric: string, by: string): string =>
  `histogram_quantile(0.95, sum by (${['le', by].join(', ')}) (rate(${metric}_bucket[$__rate_interval])))`;

export const panels: readonly Panel[] = [
  {
    ...{ title: 'Containers at work', kind: 'stat', unit: 'percentunit' },
    queries: [['sum(holdfast_active_jobs) / sum(holdfast_slots)', '']],
    about: 'Of all that there are. At 100 % for long, more of them would shorten the line.',
  },
  {
    ...{ title: 'In the line', kind: 'stat', unit: 'short' },
    queries: [['max(holdfast_queue_backlog)', '']],
    about: 'Steps of runs that wait for a container.',
  },
  {
    ...{ title: 'Longest wait', kind: 'stat', unit: 's' },
    queries: [['max(holdfast_queue_oldest_seconds)', '']],
    about: 'How long the first in the line has waited.',
  },
  {
    ...{ title: 'Webhooks given up in a day', kind: 'stat', unit: 'short' },
    queries: [['max(holdfast_webhooks_undelivered_day)', '']],
    about: 'Messages whose receivers did not take them for three days.',
  },
  {
    ...{ title: 'Line and work', kind: 'timeseries', unit: 'short' },
    queries: [
      ['max(holdfast_queue_backlog)', 'in the line'],
      ['max(holdfast_queue_busy)', 'at work'],
      ['max(holdfast_queue_workers)', 'workers'],
    ],
    about: 'What an autoscaler follows: line and work together.',
  },
  {
    ...{ title: 'Wait for a container, 95 %', kind: 'timeseries', unit: 'ms' },
    queries: [
      [
        'histogram_quantile(0.95, sum by (le) (rate(temporal_activity_schedule_to_start_latency_bucket{task_queue=~".*-container"}[$__rate_interval])))',
        'wait',
      ],
    ],
    about: 'Of jobs that have begun, as Temporal measures it.',
  },
  {
    ...{ title: 'Jobs ended', kind: 'timeseries', unit: 'short' },
    queries: [
      ['sum by (kind, state) (increase(holdfast_job_duration_seconds_count[$__rate_interval]))', '{{kind}} {{state}}'],
    ],
    about: 'By what they were asked for and how they ended.',
  },
  {
    ...{ title: 'Why jobs failed', kind: 'timeseries', unit: 'short' },
    queries: [['sum by (code) (increase(holdfast_job_failures_total[$__rate_interval])) > 0', '{{code}}']],
    about: 'By error code; docs/reference/errors.md says what each means.',
  },
  {
    ...{ title: 'Runs ended', kind: 'timeseries', unit: 'short' },
    queries: [
      [
        'sum by (workflow_type, end) (increase(holdfast_run_ends_total[$__rate_interval]))',
        '{{workflow_type}} {{end}}',
      ],
    ],
    about: 'After all their attempts. A job that failed may be tried again, a run that failed is not.',
  },
  {
    ...{ title: 'Waits of runs', kind: 'timeseries', unit: 'short' },
    queries: [['sum by (reason) (increase(holdfast_run_waits_total[$__rate_interval]))', '{{reason}}']],
    about: 'Before another attempt: by how much sources, stores and containers hold runs up.',
  },
  {
    ...{ title: 'Webhooks', kind: 'timeseries', unit: 'short' },
    queries: [['sum by (result) (increase(holdfast_webhook_tries_total[$__rate_interval]))', '{{result}}']],
    about: 'Requests: delivered, failed and to be made again, or given up.',
  },
  {
    ...{ title: 'Phases, 95 %', kind: 'timeseries', unit: 's' },
    queries: [[p95('holdfast_job_phase_duration_seconds', 'phase'), '{{phase}}']],
    about: 'Where the time of jobs goes.',
  },
  {
    ...{ title: 'Encoded, times real time', kind: 'timeseries', unit: 'x' },
    queries: [
      ['sum by (codec) (rate(holdfast_encoded_media_seconds_total[$__rate_interval])) > 0', '{{codec}}'],
      [
        'sum(rate(holdfast_encoded_media_seconds_total[$__rate_interval])) / sum(rate(holdfast_job_phase_duration_seconds_sum{phase="encode"}[$__rate_interval]))',
        'for each container at work',
      ],
    ],
    about: 'Seconds of media for each second, of jobs that have ended.',
  },
  {
    ...{ title: 'Bytes', kind: 'timeseries', unit: 'Bps' },
    queries: [
      ['sum(rate(holdfast_downloaded_bytes_total[$__rate_interval]))', 'down'],
      ['sum(rate(holdfast_uploaded_bytes_total[$__rate_interval]))', 'up'],
    ],
    about: 'Of sources and of files that were stored.',
  },
  {
    ...{ title: 'Made again', kind: 'timeseries', unit: 'short' },
    queries: [
      ['sum(increase(holdfast_upload_retries_total[$__rate_interval]))', 'uploads'],
      ['sum(increase(holdfast_parallel_fallbacks_total[$__rate_interval]))', 'encodes in one piece'],
      ['sum(increase(holdfast_busy_rejections_total[$__rate_interval]))', 'answers of 429'],
    ],
    about: 'What went on, and cost a second try.',
  },
  {
    ...{ title: 'Memory of ffmpeg', kind: 'timeseries', unit: 'bytes' },
    queries: [['holdfast_ffmpeg_resident_memory_bytes', '{{instance}}']],
    about: 'Of all media tools of a container together.',
  },
  {
    ...{ title: 'Scratch space left', kind: 'timeseries', unit: 'bytes' },
    queries: [['holdfast_scratch_free_bytes', '{{instance}}']],
    about: 'Where jobs keep their files. Below 64 MiB a container takes no job.',
  },
  {
    ...{ title: 'Providers: waiting and in use', kind: 'timeseries', unit: 'short' },
    queries: [
      ['max by (key) (holdfast_limiter_waiting)', '{{key}} waiting'],
      ['max by (key) (holdfast_limiter_permits)', '{{key}} in use'],
    ],
    about: 'Requests for a permit, and permits that calls have.',
  },
  {
    ...{ title: 'Providers held back', kind: 'timeseries', unit: 'short' },
    queries: [
      ['max by (key) (holdfast_limiter_throttled)', '{{key}} throttled'],
      ['max by (key) (holdfast_limiter_breaker_open)', '{{key}} breaker'],
      ['1 - min by (key) (holdfast_limiter_up)', '{{key}} silent'],
    ],
    about: '1 while no call begins, or the limiter does not answer.',
  },
];

const columns = 24;

/** Four figures in the first row, then two panels in each. */
function placeOf(index: number): { x: number; y: number; w: number; h: number } {
  if (index < 4) return { x: (index * columns) / 4, y: 0, w: columns / 4, h: 4 };
  const place = index - 4;
  return { x: (place % 2) * (columns / 2), y: 4 + Math.floor(place / 2) * 8, w: columns / 2, h: 8 };
}

export function dashboard(): object {
  const datasource = { type: 'prometheus', uid: '${datasource}' };
  return {
    ...{ uid: 'holdfast', title: 'Holdfast', tags: ['holdfast'], schemaVersion: 39, editable: true },
    ...{ refresh: '30s', time: { from: 'now-6h', to: 'now' } },
    templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Prometheus' }] },
    panels: panels.map(({ title, kind, unit, queries, about }, index) => ({
      ...{ id: index + 1, title, type: kind, description: about, datasource, gridPos: placeOf(index) },
      fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
      targets: queries.map(([expr, legendFormat], query) => ({
        ...{ refId: String.fromCharCode(65 + query), datasource, expr, legendFormat },
      })),
    })),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(JSON.stringify(dashboard(), null, 2));
