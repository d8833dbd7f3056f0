/**
 * Prints the Grafana dashboard: `node deploy/observability/dashboard.ts > deploy/observability/dashboard.json`. It builds
 * plain objects of the dashboard's schema (version 39), because Grafana's own builder has no stable release (0.0.21).
 */
import { fileURLToPath } from 'node:url';

type Query = readonly [expression: string, legend: string];

export interface Panel {
  title: string;
  kind: 'timeseries' | 'stat';
  /** unit name of Grafana */
  unit: string;
  /** text for a first-time viewer */
  about: string;
  queries: readonly Query[];
}

/** `$i` in an expression stands for the rate interval. */
function panelOf(kind: Panel['kind']) {
  return (title: string, unit: string, about: string, ...queries: Query[]): Panel => ({
    title,
    kind,
    unit,
    about,
    queries: queries.map(([expression, legend]) => [expression.replaceAll('$i', '$__rate_interval'), legend]),
  });
}
const stat = panelOf('stat');
const graph = panelOf('timeseries');

export const panels: readonly Panel[] = [
  stat(
    'Containers at work',
    'percentunit',
    'Share of all containers. If it stays at 100 %, more containers would shorten the queue.',
    ['sum(holdfast_active_jobs) / sum(holdfast_slots)', ''],
  ),
  stat('In the queue', 'short', 'Steps of runs that wait for a container.', ['max(holdfast_queue_backlog)', '']),
  stat('Longest wait', 's', 'Time that the first in the queue has waited.', ['max(holdfast_queue_oldest_seconds)', '']),
  stat('Webhooks given up in a day', 'short', 'Messages that their receivers did not accept for three days.', [
    'max(holdfast_webhooks_undelivered_day)',
    '',
  ]),
  graph(
    'Queue and work',
    'short',
    'An autoscaler follows the sum of queue and work.',
    ['max(holdfast_queue_backlog)', 'in the queue'],
    ['max(holdfast_queue_busy)', 'at work'],
    ['max(holdfast_queue_workers)', 'workers'],
  ),
  graph('Wait for a container, 95 %', 'ms', 'Wait of started jobs, as Temporal measures it.', [
    'histogram_quantile(0.95, sum by (le) (rate(temporal_activity_schedule_to_start_latency_bucket{task_queue=~".*-container"}[$i])))',
    'wait',
  ]),
  graph('Jobs ended', 'short', 'Ended jobs by kind and outcome.', [
    'sum by (kind, state) (increase(holdfast_job_duration_seconds_count[$i]))',
    '{{kind}} {{state}}',
  ]),
  graph('Why jobs failed', 'short', 'Failed jobs by error code; docs/reference/errors.md explains each code.', [
    'sum by (code) (increase(holdfast_job_failures_total[$i])) > 0',
    '{{code}}',
  ]),
  graph(
    'Runs ended',
    'short',
    'Runs that ended after all their attempts. A failed job may be retried; a failed run is not.',
    ['sum by (workflow_type, end) (increase(holdfast_run_ends_total[$i]))', '{{workflow_type}} {{end}}'],
  ),
  graph(
    'Error budget left',
    'percentunit',
    'Share of the errors that each objective allows in 28 days; docs/observability.md has the objectives.',
    ['clamp_min(1 - holdfast:slo_errors:ratio_rate28d / holdfast:slo_budget:ratio, 0)', '{{slo}}'],
  ),
  graph(
    'Waits of runs',
    'short',
    'Waits before another attempt, by reason: busy containers, or sources, stores and containers that fail.',
    ['sum by (reason) (increase(holdfast_run_waits_total[$i]))', '{{reason}}'],
  ),
  graph(
    'Segments of spread runs',
    'short',
    'Encoded segments, by the job that succeeded first. Second jobs start for slow segments only.',
    ['sum by (winner) (increase(holdfast_segments_total[$i]))', '{{winner}} job'],
    ['sum(increase(holdfast_segment_copies_total[$i]))', 'second jobs started'],
  ),
  graph('Webhooks', 'short', 'Requests: delivered, failed and to be retried, or given up.', [
    'sum by (result) (increase(holdfast_webhook_tries_total[$i]))',
    '{{result}}',
  ]),
  graph('Phases, 95 %', 's', 'Time of jobs in each phase.', [
    'histogram_quantile(0.95, sum by (le, phase) (rate(holdfast_job_phase_duration_seconds_bucket[$i])))',
    '{{phase}}',
  ]),
  graph(
    'Encoded, times real time',
    'x',
    'Seconds of media per second, of ended jobs.',
    ['sum by (codec) (rate(holdfast_encoded_media_seconds_total[$i])) > 0', '{{codec}}'],
    [
      'sum(rate(holdfast_encoded_media_seconds_total[$i])) / sum(rate(holdfast_job_phase_duration_seconds_sum{phase="encode"}[$i]))',
      'for each container at work',
    ],
  ),
  graph(
    'Bytes',
    'Bps',
    'Bytes of downloaded sources and of stored files.',
    ['sum(rate(holdfast_downloaded_bytes_total[$i]))', 'down'],
    ['sum(rate(holdfast_uploaded_bytes_total[$i]))', 'up'],
  ),
  graph(
    'Retried',
    'short',
    'Work that needed a second attempt.',
    ['sum(increase(holdfast_upload_retries_total[$i]))', 'uploads'],
    ['sum(increase(holdfast_parallel_fallbacks_total[$i]))', 'encodes in one piece'],
    ['sum(increase(holdfast_busy_rejections_total[$i]))', 'answers of 429'],
  ),
  graph('Memory of ffmpeg', 'bytes', 'Memory of all media tools of a container together.', [
    'holdfast_ffmpeg_resident_memory_bytes',
    '{{instance}}',
  ]),
  graph('Scratch space left', 'bytes', 'Free space for files of jobs. Below 64 MiB a container accepts no job.', [
    'holdfast_scratch_free_bytes',
    '{{instance}}',
  ]),
  graph(
    'Providers: waiting and in use',
    'short',
    'Requests for a permit, and permits held by calls.',
    ['max by (key) (holdfast_limiter_waiting)', '{{key}} waiting'],
    ['max by (key) (holdfast_limiter_permits)', '{{key}} in use'],
  ),
  graph(
    'Providers held back',
    'short',
    '1 while no call starts, or while the limiter does not answer.',
    ['max by (key) (holdfast_limiter_throttled)', '{{key}} throttled'],
    ['max by (key) (holdfast_limiter_breaker_open)', '{{key}} breaker'],
    ['1 - min by (key) (holdfast_limiter_up)', '{{key}} silent'],
  ),
];

const columns = 24;

/** Places four figures in the first row and two panels in each further row. */
function placeOf(index: number): { x: number; y: number; w: number; h: number } {
  if (index < 4) return { x: (index * columns) / 4, y: 0, w: columns / 4, h: 4 };
  const place = index - 4;
  return { x: (place % 2) * (columns / 2), y: 4 + Math.floor(place / 2) * 8, w: columns / 2, h: 8 };
}

export function dashboard(): object {
  const datasource = { type: 'prometheus', uid: '${datasource}' };
  return {
    uid: 'holdfast',
    title: 'Holdfast',
    tags: ['holdfast'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Prometheus' }] },
    panels: panels.map(({ title, kind, unit, queries, about }, index) => ({
      id: index + 1,
      title,
      type: kind,
      description: about,
      datasource,
      gridPos: placeOf(index),
      fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
      targets: queries.map(([expr, legendFormat], query) => ({
        refId: String.fromCharCode(65 + query),
        datasource,
        expr,
        legendFormat,
      })),
    })),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(JSON.stringify(dashboard(), null, 2));
