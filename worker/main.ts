import { Runtime } from '@temporalio/worker';
import { containerClients } from '../activities/container/client.ts';
import { s3MultipartUploads } from '../activities/storage/multipart.ts';
import { s3Presigner } from '../activities/storage/presign.ts';
import { Storage } from '../activities/storage/storage.ts';
import { readConfig, type WorkerConfig } from './config.ts';
import { jsonLog, temporalLogger } from './log.ts';
import { createWorkers } from './workers.ts';
import { WorkerConfigError } from './worker-config-error.ts';
import { ensureWorkflowBundle, variantOf } from './workflow-bundle.ts';

/** All addresses: whoever scrapes it is another machine, and it tells no secrets. */
const metricsHost = '0.0.0.0';

const config = readConfigOrExit();
const log = jsonLog(config.logLevel);
installRuntime();

try {
  const isEncrypting = config.dataConverter !== undefined;
  const { codePath } =
    config.workflowBundle === undefined
      ? await ensureWorkflowBundle({ isEncrypting })
      : { codePath: variantOf(config.workflowBundle, { isEncrypting }) };
  const clients = containerClients(config.containerToken);
  const presigner = s3Presigner(config.presigner);
  const storage = new Storage(presigner, config.mediaRoot);
  const { providers } = config;
  const workers = await createWorkers(
    config,
    {
      clients,
      presigner,
      multipart: s3MultipartUploads(config.presigner),
      headerVariables: config.headerVariables,
      webhooks: config.webhooks,
      providers,
      storage,
    },
    { codePath },
  );
  const running = workers.run();
  const { taskQueue, namespace, containerUrls } = config;
  log.info(
    { taskQueue, namespace, address: config.connection.address, containerUrls },
    `Worker ready: polling task queue ${taskQueue} for ${containerUrls.length} container(s)`,
  );
  await running;
  log.info('Worker stopped');
  // What is left are connections kept open to containers.
  process.exit(0);
} catch (error) {
  log.fatal({ err: error }, `Worker stopped: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}

/** Its metrics are the SDK's own with ours among them: counters of workflows are counted once, however often they are replayed. */
function installRuntime(): void {
  const { metricsPort } = config;
  try {
    Runtime.install({
      logger: temporalLogger(log),
      telemetryOptions: {
        logging: { forward: { level: 'WARN' } },
        ...(metricsPort !== undefined && {
          metrics: { prometheus: { bindAddress: `${metricsHost}:${metricsPort}`, countersTotalSuffix: true } },
        }),
      },
    });
  } catch (error) {
    if (metricsPort === undefined) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    console.error(`METRICS_PORT ${metricsPort} cannot be used: ${reason}`);
    process.exit(1);
  }
}

function readConfigOrExit(): WorkerConfig {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof WorkerConfigError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
