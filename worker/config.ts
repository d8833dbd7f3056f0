import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { NativeConnectionOptions } from '@temporalio/worker';
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { defaultProviderCallsPerWorker } from '../contract/defaults.ts';
import { defaultTaskQueue } from '../contract/task-queues.ts';
import type { PresignerSettings } from '../activities/storage/presign.ts';
import type { Providers } from '../activities/provider/providers.ts';
import { ConfigError } from './config-error.ts';
import { readProviders } from './providers.ts';

export interface WorkerConfig {
  containerUrls: string[];
  containerToken: string | undefined;
  connection: NativeConnectionOptions;
  namespace: string;
  taskQueue: string;
  presigner: PresignerSettings;
  /** Path of a bundle built ahead; else the workflows are bundled at the start. */
  workflowBundle: string | undefined;
  providers: Providers;
  /** For each key. */
  providerCallsPerWorker: number;
  /** The folder that `file:` URLs may name where chunks are sent to a provider; unset, they are refused. */
  mediaRoot: string | undefined;
  /** Of the Prometheus endpoint; off where unset. */
  metricsPort: number | undefined;
  logLevel: 'debug' | 'info' | 'warn' | 'error';
}

/** seconds; S3 takes no more */
const maxPresignExpires = 604_800;

/** More calls at once than one process can make well. */
const maxProviderCalls = 1000;

const ContainerUrls = z
  .string()
  .transform((text) => text.split(',').map((url) => url.trim().replace(/\/+$/, '')))
  .refine((urls) => urls.every(isHttpUrl), { error: 'must be http: or https: URLs, separated by commas' })
  .refine((urls) => new Set(urls).size === urls.length, {
    error: 'names a container twice; it would get two jobs at once and refuse one',
  });

/** Set to nothing is not set: that is how compose files and shells pass on what is missing. */
const optional = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional());

const Environment = z.object({
  CONTAINER_URLS: optional(ContainerUrls),
  CONTAINER_TOKEN: optional(z.string()),
  TEMPORAL_TASK_QUEUE: optional(z.string().regex(/^\S{1,200}$/, { error: 'must be a name without spaces' })),
  PRESIGN_EXPIRES_SECONDS: optional(
    z.coerce
      .number({ error: 'must be a number of seconds' })
      .int({ error: 'must be whole seconds' })
      .min(5, { error: 'must be at least 5' })
      .max(maxPresignExpires, { error: `must be at most ${maxPresignExpires}, since S3 takes no more` }),
  ),
  WORKFLOW_BUNDLE: optional(z.string()),
  MEDIA_ROOT: optional(z.string().refine(isAbsolute, { error: 'must be an absolute path' })),
  METRICS_PORT: optional(
    z.coerce
      .number({ error: 'must be a port number' })
      .int({ error: 'must be a port number' })
      .min(1, { error: 'must be a port number' })
      .max(65_535, { error: 'must be a port number' }),
  ),
  PROVIDER_CALLS_PER_WORKER: optional(
    z.coerce
      .number({ error: 'must be a number' })
      .int({ error: 'must be a whole number' })
      .min(1, { error: 'must be at least 1' })
      .max(maxProviderCalls, { error: `must be at most ${maxProviderCalls}` }),
  ),
  LOG_LEVEL: optional(z.enum(['debug', 'info', 'warn', 'error'])),
  AWS_ENDPOINT_URL: optional(z.url()),
  AWS_ENDPOINT_URL_S3: optional(z.url()),
  AWS_REGION: optional(z.string()),
  AWS_DEFAULT_REGION: optional(z.string()),
});

export function readConfig(env: NodeJS.ProcessEnv): WorkerConfig {
  const parsed = Environment.safeParse(env);
  if (!parsed.success) {
    const sentences = parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}.`);
    throw new ConfigError(sentences.join(' '));
  }
  const values = parsed.data;
  const endpoint = values.AWS_ENDPOINT_URL_S3 ?? values.AWS_ENDPOINT_URL;
  // Stores that are not AWS have no regions, but the signature names one.
  const region = values.AWS_REGION ?? values.AWS_DEFAULT_REGION ?? (endpoint === undefined ? undefined : 'us-east-1');
  const { connectionOptions, namespace } = temporalConfig(env);
  return {
    containerUrls: values.CONTAINER_URLS ?? ['http://127.0.0.1:8080'],
    containerToken: values.CONTAINER_TOKEN,
    connection: connectionOptions,
    namespace: namespace ?? 'default',
    taskQueue: values.TEMPORAL_TASK_QUEUE ?? defaultTaskQueue,
    presigner: { expiresSeconds: values.PRESIGN_EXPIRES_SECONDS ?? 43_200, endpoint, region },
    workflowBundle: values.WORKFLOW_BUNDLE,
    providers: readProviders(env),
    providerCallsPerWorker: values.PROVIDER_CALLS_PER_WORKER ?? defaultProviderCallsPerWorker,
    mediaRoot: values.MEDIA_ROOT,
    metricsPort: values.METRICS_PORT,
    logLevel: values.LOG_LEVEL ?? 'info',
  };
}

/** TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_API_KEY, TEMPORAL_TLS_* and the config file, as Temporal's own clients read them. */
function temporalConfig(env: NodeJS.ProcessEnv) {
  try {
    const set = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return loadClientConnectConfig({ overrideEnvVars: Object.fromEntries(set) });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`The TEMPORAL_* settings cannot be read: ${reason}`, { cause: error });
  }
}

function isHttpUrl(url: string): boolean {
  return URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
}
