import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import type { MetricGauge } from '@temporalio/common';
import { Runtime } from '@temporalio/worker';
import type { pino } from 'pino';
import { takeoverHistogram, waitHistogram } from '../contract/workflow-metrics.ts';
import { buildInfo } from '../process/this-process.ts';
import { temporalLogger } from './log.ts';

/**
 * Metrics of the SDK and ours in Prometheus' text format. Counters of workflows count once, however often they are
 * replayed.
 */
export type ReadMetrics = (state: { isDraining: boolean }) => Promise<{ contentType: string; text: string }>;

const histogramBucketOverrides = Object.fromEntries(
  [takeoverHistogram, waitHistogram].map(({ name, buckets }) => [name, [...buckets]]),
);

const drainingHelp = 'Whether the process stops and starts no further work';

/** A free port may be taken by another process a moment later. */
const tries = 3;

/** The SDK serves its metrics itself, on a local port. The worker's service reads them there. */
export async function installMeasuredRuntime(log: pino.Logger, buildId: string | undefined): Promise<ReadMetrics> {
  for (let attempt = 1; ; attempt += 1) {
    const address = `127.0.0.1:${await freePort()}`;
    try {
      Runtime.install({
        ...runtimeOptions(log),
        telemetryOptions: {
          ...runtimeOptions(log).telemetryOptions,
          metrics: { prometheus: { bindAddress: address, countersTotalSuffix: true, histogramBucketOverrides } },
        },
      });
    } catch (error) {
      if (attempt === tries) throw error;
      continue;
    }
    const draining = createProcessGauges(buildId);
    return async ({ isDraining }) => {
      draining.set(isDraining ? 1 : 0);
      const response = await fetch(`http://${address}/metrics`);
      const contentType = response.headers.get('content-type') ?? 'text/plain';
      return { contentType, text: withPrometheusLabels(await response.text()) };
    };
  }
}

function createProcessGauges(buildId: string | undefined): MetricGauge {
  const { metricMeter } = Runtime.instance();
  metricMeter.createGauge(buildInfo.name, 'int', undefined, buildInfo.help).set(1, buildInfo.labels(buildId));
  return metricMeter.createGauge('holdfast_draining', 'int', undefined, drainingHelp);
}

/** The SDK names labels of the counters and histograms of our code in camel case; all other metrics follow Prometheus' style. */
export function withPrometheusLabels(text: string): string {
  const names: Record<string, string> = {
    taskQueue: 'task_queue',
    workflowType: 'workflow_type',
    activityType: 'activity_type',
  };
  return text.replaceAll(/(?<=[{,])(taskQueue|workflowType|activityType)(?==")/g, (name) => names[name] ?? name);
}

export function installRuntime(log: pino.Logger): void {
  Runtime.install(runtimeOptions(log));
}

function runtimeOptions(log: pino.Logger) {
  return { logger: temporalLogger(log), telemetryOptions: { logging: { forward: { level: 'WARN' } } } } as const;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
