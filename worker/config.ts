import { thisMachine } from '../activities/container/client.ts';
import { createDataConverter } from '../codec/data-converter.ts';
import { readPayloadKeys } from '../codec/payload-keys.ts';
import { type Environment, parseEnvironment } from './environment.ts';
import { readHeaderVariables, readPackageKeys, readWebhookSecrets } from './bound-secrets.ts';
import { readProviders } from './providers/read-providers.ts';
import { givenVariables, SettingError } from '../process/settings.ts';
import { readTemporalSettings } from '../process/temporal-settings.ts';

/** Reads all of the worker's environment variables. */
export function readConfig(environment: NodeJS.ProcessEnv) {
  const variables = new Map(Object.entries(givenVariables(environment)));
  const values = parseEnvironment(environment);
  const { connectionOptions, namespace = 'default' } = readTemporalSettings(environment);
  return {
    roles: values.WORKER_ROLES,
    /** Time for which work of a container or a provider is followed after SIGTERM. */
    drainSeconds: values.WORKER_DRAIN_SECONDS,
    containerUrls: values.CONTAINER_URLS,
    containerToken: values.CONTAINER_TOKEN,
    advertisedAddress: { url: values.CONTAINER_ADVERTISED_URL, host: values.POD_IP, machine: thisMachine },
    connection: connectionOptions,
    namespace,
    taskQueue: values.TEMPORAL_TASK_QUEUE,
    limiterEnvironment: values.HOLDFAST_ENVIRONMENT,
    stores: values,
    /** Undefined if this worker's containers cannot reach relayed stores. Without a port, other workers are the relay. */
    relay:
      values.RELAY_URL === undefined
        ? undefined
        : { address: values.RELAY_URL, port: values.RELAY_PORT, key: values.RELAY_KEY },
    /** Lifetime of the URLs that activities sign. */
    signedSeconds: values.PRESIGN_EXPIRES_SECONDS,
    /** Variables that headers of a workflow's input may name. */
    headerVariables: readHeaderVariables(variables),
    /** Keys that the encryption of a workflow's input may name. */
    packageKeys: readPackageKeys(variables),
    /** Store and limits of spread runs. */
    spread: {
      ...(values.SEGMENT_STORE_URL !== undefined && { store: values.SEGMENT_STORE_URL }),
      mostContainers: values.SPREAD_MAX_CONTAINERS,
      leastSeconds: values.SPREAD_MIN_SECONDS,
    },
    webhooks: { secrets: readWebhookSecrets(variables), allowed: values.ALLOW_PRIVATE_ADDRESSES },
    /** Encrypts payloads for Temporal; undefined encrypts nothing. */
    dataConverter: createDataConverter(readPayloadKeys({ key: values.PAYLOAD_KEY, file: values.PAYLOAD_KEY_FILE })),
    /** Build for Temporal's Worker Versioning; without one this worker takes workflows of any version. */
    deploymentVersion: readDeploymentVersion(values),
    /** Build that the metrics name. */
    buildId: values.BUILD_ID,
    /** Path of a prebuilt bundle; undefined bundles the workflows at the start. */
    workflowBundle: values.WORKFLOW_BUNDLE,
    providers: readProviders({
      file: values.PROVIDERS_FILE,
      local: { url: values.LOCAL_PROVIDER_URL, modelsPath: values.LOCAL_MODELS_PATH },
      limiterEnvironment: values.HOLDFAST_ENVIRONMENT,
      throttledKeys: values.RATE_LIMIT_THROTTLE_MODELS,
      throttleSeconds: {
        day: values.RATE_LIMIT_DAY_BACKOFF_SECONDS,
        rps: values.RATE_LIMIT_RPS_BACKOFF_SECONDS,
        other: values.RATE_LIMIT_BACKOFF_SECONDS,
      },
      variables,
    }),
    /** Limit for each provider key. */
    providerCallsPerWorker: values.PROVIDER_CALLS_PER_WORKER,
    /** Port of `/health`, `/ready` and `/metrics`; undefined serves none. */
    metricsPort: values.METRICS_PORT,
    /** Collector of traces; undefined makes no traces. */
    traceEndpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT,
    logLevel: values.LOG_LEVEL,
  };
}

export type WorkerConfig = ReturnType<typeof readConfig>;

function readDeploymentVersion({ DEPLOYMENT_NAME: deploymentName, BUILD_ID: buildId }: Environment) {
  if (deploymentName !== undefined && buildId !== undefined) return { deploymentName, buildId };
  if (deploymentName === undefined && buildId === undefined) return undefined;
  const [given, missing] = buildId === undefined ? ['DEPLOYMENT_NAME', 'BUILD_ID'] : ['BUILD_ID', 'DEPLOYMENT_NAME'];
  throw new SettingError(`${given} is set without ${missing}. Set both, or neither for a worker without versions.`);
}
