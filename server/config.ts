import { z } from 'zod';
import { createDataConverter } from '../codec/data-converter.ts';
import { readPayloadKeys } from '../codec/payload-keys.ts';
import { defaultEnvironment } from '../contract/defaults.ts';
import { LimiterEnvironment } from '../contract/provider.ts';
import { defaultTaskQueue } from '../contract/task-queues.ts';
import { isHttpsOrLoopback } from '../network/loopback.ts';
import { PresetsSetting } from '../process/presets-setting.ts';
import {
  BuildIdSetting,
  FolderSetting,
  HttpUrlSetting,
  ListenPortSetting,
  LogLevelSetting,
  TraceEndpointSetting,
  wholeNumber,
} from '../process/setting-types.ts';
import { priceVariables, pricesIn } from '../process/price-settings.ts';
import { requireSettingFile } from '../process/setting-file.ts';
import { parseSettings, SettingError } from '../process/settings.ts';
import { readTemporalSettings } from '../process/temporal-settings.ts';
import { storeVariables } from '../stores/backends.ts';
import { isSignedPrefix } from '../stores/object-url.ts';
import { scopes } from './access/caller.ts';
import type { MediaSettings } from './files/open-files.ts';
import { isOwnerPrefix } from './files/owner-prefixes.ts';
import type { BucketSettings } from './buckets/open-buckets.ts';
import { parseTokens, type Tokens } from './access/tokens.ts';

const PrefixSetting = z.string().refine(isSignedPrefix, {
  error:
    'must be s3://, az:// or gs:// with a bucket and optional folders, and end with /, such as s3://media/results/',
});

const OwnerPrefixSetting = z.string().refine(isOwnerPrefix, {
  error:
    'must be s3://, az:// or gs:// with a bucket and optional folders, or the folder of an SFTP or WebDAV server, and end with /, such as s3://media/owners/{owner}/',
});

function prefixesSetting(prefix: typeof PrefixSetting) {
  return z
    .string()
    .transform((urls) => urls.split(',').map((url) => url.trim()))
    .pipe(z.array(prefix));
}

const Environment = z.object({
  SERVER_PORT: ListenPortSetting.default(8088),
  SERVER_HOST: z.string().min(1).default('127.0.0.1'),
  SERVER_TOKENS_FILE: z.string().optional(),
  SERVER_PUBLIC_URL: HttpUrlSetting.optional(),
  OIDC_ISSUER: z
    .url({ error: 'must be a URL', abort: true })
    .refine(isHttpsOrLoopback, { error: 'must start with https://' })
    .optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  OIDC_SCOPES_CLAIM: z.string().default('scope'),
  OIDC_DEFAULT_SCOPES: z
    .string()
    .default('read,run')
    .transform((names) => (names === 'none' ? [] : names.split(',').map((name) => name.trim())))
    .pipe(z.array(z.enum(scopes))),
  SERVER_REQUESTS_PER_MINUTE: wholeNumber(1, 1_000_000).default(1_200),
  HOLDFAST_ENVIRONMENT: LimiterEnvironment.default(defaultEnvironment),
  TEMPORAL_TASK_QUEUE: z.string().default(defaultTaskQueue),
  TEMPORAL_UI_URL: HttpUrlSetting.optional(),
  PRESETS_FILE: PresetsSetting,
  MEDIA_ROOT: FolderSetting.optional(),
  UPLOAD_MAX_BYTES: wholeNumber(1).default(64 * 2 ** 30),
  UPLOAD_KEPT_HOURS: z.coerce.number().min(1).max(87_600).default(168),
  S3_UPLOAD_PREFIX: PrefixSetting.optional(),
  S3_OWNER_PREFIXES: prefixesSetting(OwnerPrefixSetting).optional(),
  S3_LINK_PREFIXES: prefixesSetting(PrefixSetting).optional(),
  ...storeVariables,
  RESULTS_KEPT_HOURS: z.coerce.number().min(1).max(87_600).optional(),
  SERVER_LINK_KEY: z.string().min(32, { error: 'must have at least 32 characters' }).optional(),
  PAYLOAD_KEY: z.string().optional(),
  PAYLOAD_KEY_FILE: z.string().optional(),
  ...priceVariables,
  BUILD_ID: BuildIdSetting.optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: TraceEndpointSetting,
  LOG_LEVEL: LogLevelSetting,
});

export function readConfig(environment: NodeJS.ProcessEnv) {
  const values = parseSettings(Environment, environment);
  const { connectionOptions, namespace = 'default' } = readTemporalSettings(environment);
  return {
    port: values.SERVER_PORT,
    host: values.SERVER_HOST,
    taskQueue: values.TEMPORAL_TASK_QUEUE,
    /** Environment of the limiters; the workers read the same setting. */
    limiterEnvironment: values.HOLDFAST_ENVIRONMENT,
    temporal: { connection: connectionOptions, namespace, uiUrl: values.TEMPORAL_UI_URL },
    presets: values.PRESETS_FILE,
    /** Undefined if no token is needed. */
    tokens: readTokens(values.SERVER_TOKENS_FILE),
    /** Undefined if sign-in is off. */
    oidc: oidcSettings(values),
    /** Limit for each token. */
    requestsPerMinute: values.SERVER_REQUESTS_PER_MINUTE,
    /** Codec of the workers' payloads; undefined if payloads are not encrypted. */
    dataConverter: createDataConverter(readPayloadKeys({ key: values.PAYLOAD_KEY, file: values.PAYLOAD_KEY_FILE })),
    /** Undefined if the server keeps no files. */
    media: mediaSettings(values),
    /** Build that the metrics name. */
    buildId: values.BUILD_ID,
    /** OTLP endpoint; undefined if tracing is off. */
    traceEndpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT,
    /** Undefined if the server signs no URLs of objects. */
    buckets: bucketSettings(values),
    /** Prefixes that callers with an owner may name; `{owner}` stands for the owner's name. */
    ownerPrefixes: values.S3_OWNER_PREFIXES ?? [],
    prices: pricesIn(values),
    /** Signs links; undefined: links end with the process. */
    linkKey: values.SERVER_LINK_KEY,
    logLevel: values.LOG_LEVEL,
  };
}

export type ServerConfig = ReturnType<typeof readConfig>;

function oidcSettings(values: z.infer<typeof Environment>) {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = values;
  if (issuer === undefined && clientId === undefined) return undefined;
  if (issuer === undefined || clientId === undefined) {
    throw new SettingError('Set both OIDC_ISSUER and OIDC_CLIENT_ID, or neither.');
  }
  const claims = { scopesClaim: values.OIDC_SCOPES_CLAIM, defaultScopes: values.OIDC_DEFAULT_SCOPES };
  const settings = { issuer, clientId, clientSecret, ...claims };
  return { settings, publicUrl: values.SERVER_PUBLIC_URL, secret: values.SERVER_LINK_KEY };
}

function mediaSettings(values: z.infer<typeof Environment>): MediaSettings | undefined {
  if (values.MEDIA_ROOT === undefined) return undefined;
  const { RESULTS_KEPT_HOURS: resultsKeptHours } = values;
  return {
    root: values.MEDIA_ROOT,
    uploadMaxBytes: values.UPLOAD_MAX_BYTES,
    linkKey: values.SERVER_LINK_KEY,
    uploadKeptMs: values.UPLOAD_KEPT_HOURS * 3_600_000,
    resultsKeptMs: resultsKeptHours === undefined ? undefined : resultsKeptHours * 3_600_000,
  };
}

function bucketSettings(values: z.infer<typeof Environment>): BucketSettings | undefined {
  const { S3_UPLOAD_PREFIX: uploads, S3_LINK_PREFIXES: links = [] } = values;
  if (uploads === undefined && links.length === 0) return undefined;
  return { stores: values, uploads, links, uploadMaxBytes: values.UPLOAD_MAX_BYTES };
}

function readTokens(file: string | undefined): Tokens | undefined {
  return file === undefined ? undefined : parseTokens(requireSettingFile('SERVER_TOKENS_FILE', file));
}
