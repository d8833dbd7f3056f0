import type { DataConverter, WorkerDeploymentVersion } from '@temporalio/common';
import type { NativeConnectionOptions } from '@temporalio/worker';
import { thisMachine } from '../activities/container/client.ts';
import type { Providers } from '../activities/provider/providers.ts';
import type { WebhookSettings } from '../activities/webhook/send-webhook.ts';
import type { Secrets } from '../activities/secrets.ts';
import { createDataConverter } from '../codec/data-converter.ts';
import { readPayloadKeys } from '../codec/payload-keys.ts';
import type { SpreadSettings } from '../contract/spread-settings.ts';
import type { StoreVariables } from '../stores/backends.ts';
import type { RelaySettings } from '../stores/relay/relay-urls.ts';
import type { AdvertisedAddress } from './containers/place.ts';
import { type Environment, parseEnvironment } from './environment.ts';
import type { WorkerRole } from './roles.ts';
import { readHeaderVariables, readPackageKeys, readWebhookSecrets } from './bound-secrets.ts';
import { readProviders } from './providers/read-providers.ts';
import { givenVariables, SettingError } from '../process/settings.ts';
import { readTemporalSettings } from '../process/temporal-settings.ts';

interface RelayConfig extends RelaySettings {
  /** Undefined if other workers are the relay. */
  port: number | undefined;
}

export interface WorkerConfig {
  roles: ReadonlySet<WorkerRole>;
  /** Time for which work of a container or a provider is followed after SIGTERM. */
  drainSeconds: number;
  containerUrls: string[];
  containerToken: string | undefined;
  advertisedAddress: AdvertisedAddress;
  connection: NativeConnectionOptions;
  namespace: string;
  taskQueue: string;
  limiterEnvironment: string;
  stores: StoreVariables;
  /** Undefined if containers of this worker cannot reach relayed stores. */
  relay: RelayConfig | undefined;
  /** Lifetime of the URLs that activities sign. */
  signedSeconds: number;
  /** Variables that headers of a workflow's input may name. */
  headerVariables: Secrets;
  /** Keys that the encryption of a workflow's input may name. */
  packageKeys: Secrets;
  webhooks: WebhookSettings;
  /** Store and limits of spread runs. */
  spread: Omit<SpreadSettings, 'containers'>;
  /** Encrypts payloads for Temporal; undefined encrypts nothing. */
  dataConverter: DataConverter | undefined;
  /** Build for Temporal's Worker Versioning; without one this worker takes workflows of any version. */
  deploymentVersion: WorkerDeploymentVersion | undefined;
  /** Build that the metrics name. */
  buildId: string | undefined;
  /** Path of a prebuilt bundle; undefined bundles the workflows at the start. */
  workflowBundle: string | undefined;
  providers: Providers;
  /** Limit for each provider key. */
  providerCallsPerWorker: number;
  /** Port of `/health`, `/ready` and `/metrics`; undefined serves none. */
  metricsPort: number | undefined;
  /** Collector of traces; undefined makes no traces. */
  traceEndpoint: string | undefined;
  logLevel: string;
}

/** Reads all of the worker's environment variables. */
export function readConfig(environment: NodeJS.ProcessEnv): WorkerConfig {
  const variables = new Map(Object.entries(givenVariables(environment)));
  const values = parseEnvironment(environment);
  const { connectionOptions, namespace = 'default' } = readTemporalSettings(environment);
  return {
    roles: values.WORKER_ROLES,
    drainSeconds: values.WORKER_DRAIN_SECONDS,
    containerUrls: values.CONTAINER_URLS,
    containerToken: values.CONTAINER_TOKEN,
    advertisedAddress: { url: values.CONTAINER_ADVERTISED_URL, host: values.POD_IP, machine: thisMachine },
    connection: connectionOptions,
    namespace,
    taskQueue: values.TEMPORAL_TASK_QUEUE,
    limiterEnvironment: values.HOLDFAST_ENVIRONMENT,
    stores: values,
    relay: values.RELAY_URL === undefined ? undefined : relayOf(values.RELAY_URL, values),
    signedSeconds: values.PRESIGN_EXPIRES_SECONDS,
    headerVariables: readHeaderVariables(variables),
    packageKeys: readPackageKeys(variables),
    spread: {
      ...(values.SEGMENT_STORE_URL !== undefined && { store: values.SEGMENT_STORE_URL }),
      mostContainers: values.SPREAD_MAX_CONTAINERS,
      leastSeconds: values.SPREAD_MIN_SECONDS,
    },
    webhooks: { secrets: readWebhookSecrets(variables), allowed: values.ALLOW_PRIVATE_ADDRESSES },
    dataConverter: createDataConverter(readPayloadKeys({ key: values.PAYLOAD_KEY, file: values.PAYLOAD_KEY_FILE })),
    deploymentVersion: readDeploymentVersion(values),
    buildId: values.BUILD_ID,
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
    providerCallsPerWorker: values.PROVIDER_CALLS_PER_WORKER,
    metricsPort: values.METRICS_PORT,
    traceEndpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT,
    logLevel: values.LOG_LEVEL,
  };
}

function relayOf(address: string, { RELAY_PORT: port, RELAY_KEY: key }: Environment): RelayConfig {
  return { address, port, key };
}

function readDeploymentVersion({ DEPLOYMENT_NAME: deploymentName, BUILD_ID: buildId }: Environment) {
  if (deploymentName !== undefined && buildId !== undefined) return { deploymentName, buildId };
  if (deploymentName === undefined && buildId === undefined) return undefined;
  const [given, missing] = buildId === undefined ? ['DEPLOYMENT_NAME', 'BUILD_ID'] : ['BUILD_ID', 'DEPLOYMENT_NAME'];
  throw new SettingError(`${given} is set without ${missing}. Set both, or neither for a worker without versions.`);
}
