import { Runtime } from '@temporalio/worker';
import { containerClients } from '../activities/container-client.ts';
import { s3Presigner } from '../activities/presign.ts';
import { ConfigError, readConfig, type WorkerConfig } from './config.ts';
import { jsonLog, temporalLogger } from './log.ts';
import { createWorkers } from './workers.ts';
import { cachedWorkflowBundle } from './workflow-bundle.ts';

const config = configOrExit();
const log = jsonLog(config.logLevel);
Runtime.install({ logger: temporalLogger(log), telemetryOptions: { logging: { forward: { level: 'WARN' } } } });

try {
  const { codePath } =
    config.workflowBundle === undefined ? await cachedWorkflowBundle() : { codePath: config.workflowBundle };
  const clients = containerClients(config.containerToken);
  const workers = await createWorkers(config, { clients, presigner: s3Presigner(config.presigner) }, { codePath });
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

function configOrExit(): WorkerConfig {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
