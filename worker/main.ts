import { Runtime } from '@temporalio/worker';
import { containerClients } from '../activities/container/client.ts';
import { Storage } from '../activities/storage/storage.ts';
import { openStores } from '../stores/backends.ts';
import { type Relay, type RelayOptions, startRelay } from '../stores/relay/relay-server.ts';
import { RelayUrls } from '../stores/relay/relay-urls.ts';
import { readConfig, type WorkerConfig } from './config.ts';
import { untilContainersDrained } from './containers/drained-containers.ts';
import { createLog } from '../process/log.ts';
import { startService } from './service.ts';
import { installMeasuredRuntime, installRuntime } from './telemetry.ts';
import { SettingError } from '../process/settings.ts';
import type { WorkerTracing } from './worker-tracing.ts';
import { createWorkers, type Workers } from './workers.ts';
import { zeroCounters } from './zero-counters.ts';
import { ensureWorkflowBundle, givenWorkflowBundle } from './workflow-bundle.ts';
import { messageOf } from '../contract/unknown-values.ts';

const config = readConfigOrExit();
const log = createLog('worker', config.logLevel);
const roles = [...config.roles];
const clients = containerClients(config.containerToken);
let workers: Workers | undefined;

try {
  if (config.metricsPort === undefined) installRuntime(log);
  else await startServiceOrExit(config.metricsPort);
  const tracing = config.traceEndpoint === undefined ? undefined : await startTracingTo(config.traceEndpoint);
  const variant = { isEncrypting: config.dataConverter !== undefined, isTraced: tracing !== undefined };
  const relayUrls = config.relay && new RelayUrls(config.relay);
  const stores = openStores(config.stores, config.signedSeconds, relayUrls);
  const { providers } = config;
  workers = await createWorkers(
    config,
    {
      clients,
      stores,
      headerVariables: config.headerVariables,
      packageKeys: config.packageKeys,
      webhooks: config.webhooks,
      providers,
      storage: new Storage(stores),
      spread: config.spread,
    },
    async () =>
      config.workflowBundle === undefined
        ? await ensureWorkflowBundle(variant)
        : givenWorkflowBundle(config.workflowBundle, variant),
    tracing,
  );
  const { isRunOpen: isOpen } = workers;
  const relay =
    config.relay?.port !== undefined && relayUrls !== undefined
      ? await startRelayOrExit(config.relay.address, config.relay.port, { stores, urls: relayUrls, isOpen })
      : undefined;
  if (config.roles.has('workflows')) zeroCounters(config);
  const drainEnd = endOfDrain();
  const running = workers.run(async () => {
    if (config.metricsPort !== undefined) await untilPodEnds();
    // Jobs that this worker has followed until now may have used the relay.
    await relay?.stop(Math.max(0, drainEnd() - Date.now()));
  });
  const { taskQueue, namespace, containerUrls } = config;
  const served = config.roles.has('container') ? `for ${containerUrls.length} container(s)` : `as ${roles.join(', ')}`;
  log.info(
    { taskQueue, namespace, address: config.connection.address, roles, containerUrls },
    `Worker ready: polling task queue ${taskQueue} ${served}`,
  );
  await running;
  await tracing?.end();
  log.info('Worker stopped');
  // Only connections kept open to containers remain.
  process.exit(0);
} catch (error) {
  log.fatal({ err: error }, `Worker stopped: ${messageOf(error)}`);
  process.exit(1);
}

/** Returns the time at which the drain ends, which the first signal begins. */
function endOfDrain(): () => number {
  let endMs = 0;
  const signals = Runtime.instance().options.shutdownSignals;
  const begin = (): void => {
    endMs = Date.now() + config.drainSeconds * 1000;
    // A second signal must end the process.
    for (const signal of signals) process.off(signal, begin);
  };
  for (const signal of signals) process.on(signal, begin);
  return () => endMs;
}

/** Keeps `/metrics` and `/health` while the containers drain; another signal ends the process at once. */
async function untilPodEnds(): Promise<void> {
  if (!config.roles.has('container')) return;
  const containers = config.containerUrls.map((containerUrl) => clients({ containerUrl }));
  await untilContainersDrained(containers, () => log.info('Keeping the metrics until the containers have drained'));
}

/** OpenTelemetry's SDK is loaded only if traces are wanted. */
async function startTracingTo(endpoint: string): Promise<WorkerTracing> {
  const { startWorkerTracing } = await import('./worker-tracing.ts');
  return startWorkerTracing(endpoint, (sentence) => log.warn(sentence));
}

async function startServiceOrExit(port: number): Promise<void> {
  const metrics = await installMeasuredRuntime(log, config.buildId);
  try {
    await startService(port, { roles, workers: () => workers, metrics });
  } catch (error) {
    const reason = messageOf(error);
    console.error(`METRICS_PORT ${port} cannot be used: ${reason}`);
    process.exit(1);
  }
}

async function startRelayOrExit(address: string, port: number, parts: Omit<RelayOptions, 'warn'>): Promise<Relay> {
  try {
    const relay = await startRelay(address, port, { ...parts, warn: (facts, sentence) => log.warn(facts, sentence) });
    log.info({ address, port }, 'Relaying between containers and stores that sign nothing');
    return relay;
  } catch (error) {
    const reason = messageOf(error);
    console.error(`RELAY_PORT ${port} cannot be used: ${reason}`);
    process.exit(1);
  }
}

function readConfigOrExit(): WorkerConfig {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
