import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { Runtime } from '@temporalio/worker';
import type { pino } from 'pino';
import { temporalLogger } from './log.ts';

/**
 * Metrics of the SDK and ours in Prometheus' text format. Counters of workflows count once, however often they are
 * replayed.
 */
export type ReadMetrics = () => Promise<{ contentType: string; text: string }>;

/** A free port may be taken by another process a moment later. */
const tries = 3;

/** The SDK serves its metrics itself, on a local port. The worker's service reads them there. */
export async function installMeasuredRuntime(log: pino.Logger): Promise<ReadMetrics> {
  for (let attempt = 1; ; attempt += 1) {
    const address = `127.0.0.1:${await freePort()}`;
    try {
      Runtime.install({
        ...runtimeOptions(log),
        telemetryOptions: {
          ...runtimeOptions(log).telemetryOptions,
          metrics: { prometheus: { bindAddress: address, countersTotalSuffix: true } },
        },
      });
    } catch (error) {
      if (attempt === tries) throw error;
      continue;
    }
    return async () => {
      const response = await fetch(`http://${address}/metrics`);
      const contentType = response.headers.get('content-type') ?? 'text/plain';
      return { contentType, text: withPrometheusLabels(await response.text()) };
    };
  }
}

/** The SDK names labels of workflow counters in camel case; all other metrics follow Prometheus' style. */
export function withPrometheusLabels(text: string): string {
  const names: Record<string, string> = { taskQueue: 'task_queue', workflowType: 'workflow_type' };
  return text.replaceAll(/(?<=[{,])(taskQueue|workflowType)(?==")/g, (name) => names[name] ?? name);
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
