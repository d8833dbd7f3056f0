import { z } from 'zod';
import { defaultEnvironment, defaultProviderCallsPerWorker, longestProviderWaitSeconds } from '../contract/defaults.ts';
import { isInside, pathOfFileUrl } from '../contract/file-url.ts';
import { LimiterEnvironment, ProviderKey } from '../contract/provider.ts';
import { hasUserInfo, UploadUrlPrefix } from '../contract/http/url.ts';
import { defaultSpreadContainers, defaultSpreadSeconds } from '../contract/spread-settings.ts';
import {
  AllowedAddressesSetting,
  BuildIdSetting,
  FolderSetting,
  LogLevelSetting,
  PortSetting,
  TokenSetting,
  TraceEndpointSetting,
  wholeNumber,
} from '../process/setting-types.ts';
import { isHttpUrl } from '../contract/url-scheme.ts';
import { storeVariables } from '../stores/backends.ts';
import { loginsProblem } from '../stores/logins/logins.ts';
import { defaultTaskQueue } from '../contract/task-queues.ts';
import { isLoopbackUrl } from './containers/place.ts';
import { type WorkerRole, workerRoles } from './roles.ts';
import { readSettingFile } from '../process/setting-file.ts';
import { parseSettings, SettingError } from '../process/settings.ts';

/** S3 accepts no longer lifetime. */
const maxPresignExpiresSeconds = 604_800;

/** A day: longer than any job with the default of JOB_TIMEOUT_SECONDS. */
const longestDrainSeconds = 86_400;

/** More parallel calls than one process handles well. */
const maxProviderCalls = 1000;

/** User info would not be sent, and it would appear in logs and histories with the URL. */
const noUserInfo = 'may not carry a user name or password: containers take CONTAINER_TOKEN';

const ContainerUrls = z
  .string()
  .transform((text) => text.split(',').map((url) => url.trim().replace(/\/+$/, '')))
  .refine((urls) => urls.every(isHttpUrl), { error: 'must be http: or https: URLs, separated by commas' })
  .refine((urls) => !urls.some(hasUserInfo), { error: noUserInfo })
  .refine((urls) => new Set(urls).size === urls.length, {
    error: 'names a container twice; it would get two jobs at once and refuse one',
  });

const LocalProviderUrl = z
  .string()
  .refine(isHttpUrl, { error: 'must be an http: or https: URL' })
  .refine((url) => !hasUserInfo(url), { error: 'may not carry a user name or password' })
  .transform((url) => url.replace(/\/+$/, ''));

const WorkerRoles = z.string().transform((text, context): ReadonlySet<WorkerRole> => {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !isWorkerRole(name));
  if (unknown !== undefined) {
    context.addIssue(`names "${unknown}", which is none of ${workerRoles.join(', ')}`);
  }
  return new Set(names.filter(isWorkerRole));
});

const ThrottledKeys = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter((key) => key !== ''))
  .superRefine((keys, context) => {
    const bad = keys.find((key) => !ProviderKey.safeParse(key).success);
    if (bad !== undefined) context.addIssue(`names "${bad}", which is not <provider>/<model>`);
  });

const throttleRange = `must be above 0 and at most ${longestProviderWaitSeconds} seconds`;

function throttleVariable(byDefault: number) {
  return z.coerce
    .number({ error: 'must be a number' })
    .positive({ error: throttleRange })
    .max(longestProviderWaitSeconds, { error: throttleRange })
    .default(byDefault);
}

/** Variables with a fixed name. PROVIDERS_FILE determines the names for a provider key and its secret. */
const Environment = z.object({
  WORKER_ROLES: WorkerRoles.default(new Set(workerRoles)),
  WORKER_DRAIN_SECONDS: z.coerce
    .number({ error: 'must be a number of seconds' })
    .min(0, { error: 'must be at least 0' })
    .max(longestDrainSeconds, { error: `must be at most ${longestDrainSeconds}` })
    .default(5),
  CONTAINER_URLS: ContainerUrls.default(['http://127.0.0.1:8080']),
  CONTAINER_TOKEN: TokenSetting.optional(),
  CONTAINER_ADVERTISED_URL: z
    .string()
    .transform((url) => url.replace(/\/+$/, ''))
    .refine(isHttpUrl, { error: 'must be an http: or https: URL' })
    .refine((url) => !hasUserInfo(url), { error: noUserInfo })
    .optional(),
  POD_IP: z.union([z.ipv4(), z.ipv6()], { error: 'must be an IP address' }).optional(),
  TEMPORAL_TASK_QUEUE: z
    .string()
    .regex(/^\S{1,200}$/, { error: 'must be a name without spaces' })
    .default(defaultTaskQueue),
  PRESIGN_EXPIRES_SECONDS: wholeNumber(5, maxPresignExpiresSeconds).default(43_200),
  DEPLOYMENT_NAME: z
    .string()
    .regex(/^[^\s.:]{1,200}$/, { error: 'must be a name without spaces, dots and colons' })
    .optional(),
  BUILD_ID: BuildIdSetting.optional(),
  WORKFLOW_BUNDLE: z.string().optional(),
  PAYLOAD_KEY: z.string().optional(),
  PAYLOAD_KEY_FILE: z.string().optional(),
  MEDIA_ROOT: FolderSetting.optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: TraceEndpointSetting,
  SEGMENT_STORE_URL: UploadUrlPrefix.optional(),
  SPREAD_MAX_CONTAINERS: wholeNumber(2, 64).default(defaultSpreadContainers),
  SPREAD_MIN_SECONDS: wholeNumber(1, 86_400).default(defaultSpreadSeconds),
  METRICS_PORT: PortSetting.optional(),
  PROVIDER_CALLS_PER_WORKER: wholeNumber(1, maxProviderCalls).default(defaultProviderCallsPerWorker),
  LOG_LEVEL: LogLevelSetting,
  ...storeVariables,
  STORE_LOGINS_FILE: z
    .string()
    .superRefine((path, context) => {
      const problem = loginsProblem(() => readSettingFile(path));
      if (problem !== undefined) context.addIssue(problem);
    })
    .optional(),
  RELAY_URL: z
    .string()
    .transform((url) => url.replace(/\/+$/, ''))
    .refine(isHttpOrigin, { error: 'must be http:// or https:// with only a host, such as http://relay:8090' })
    .optional(),
  RELAY_PORT: PortSetting.optional(),
  RELAY_KEY: z
    .string()
    .min(32, { error: 'must have at least 32 characters; make one by: openssl rand -base64 32' })
    .optional(),
  HOLDFAST_ENVIRONMENT: LimiterEnvironment.default(defaultEnvironment),
  ALLOW_PRIVATE_ADDRESSES: AllowedAddressesSetting,
  PROVIDERS_FILE: z.string().optional(),
  LOCAL_PROVIDER_URL: LocalProviderUrl.optional(),
  LOCAL_MODELS_PATH: FolderSetting.optional(),
  RATE_LIMIT_THROTTLE_MODELS: ThrottledKeys.default([]),
  RATE_LIMIT_DAY_BACKOFF_SECONDS: throttleVariable(86_400),
  RATE_LIMIT_RPS_BACKOFF_SECONDS: throttleVariable(60),
  RATE_LIMIT_BACKOFF_SECONDS: throttleVariable(900),
});
export type Environment = z.infer<typeof Environment>;

export function parseEnvironment(environment: NodeJS.ProcessEnv): Environment {
  const values = parseSettings(Environment, environment);
  const { CONTAINER_ADVERTISED_URL: advertised, CONTAINER_URLS: urls, SEGMENT_STORE_URL: store, MEDIA_ROOT } = values;
  const folder = store === undefined ? undefined : pathOfFileUrl(store);
  if (folder !== undefined && !(MEDIA_ROOT !== undefined && isInside(MEDIA_ROOT, folder))) {
    throw new SettingError('SEGMENT_STORE_URL must be below MEDIA_ROOT, because the worker removes the segments.');
  }
  const { RELAY_URL, RELAY_PORT, RELAY_KEY } = values;
  if (RELAY_URL === undefined && (RELAY_PORT ?? RELAY_KEY) !== undefined) {
    throw new SettingError('RELAY_URL is missing: containers need the address of the relay.');
  }
  if (RELAY_URL !== undefined && RELAY_PORT === undefined && RELAY_KEY === undefined) {
    throw new SettingError(
      'RELAY_URL needs RELAY_PORT if this worker is the relay, or the RELAY_KEY of the workers that relay.',
    );
  }
  if (advertised === undefined || urls.filter(isLoopbackUrl).length === 1) return values;
  throw new SettingError(
    'CONTAINER_ADVERTISED_URL stands for one container: CONTAINER_URLS must name exactly one on this machine.',
  );
}

export function isHttpOrigin(url: string): boolean {
  return isHttpUrl(url) && new URL(url).href === `${new URL(url).origin}/`;
}

function isWorkerRole(name: string): name is WorkerRole {
  return (workerRoles as readonly string[]).includes(name);
}
