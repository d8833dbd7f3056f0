import { readFileSync } from 'node:fs';
import { loadClientConnectConfig, type ClientConnectConfig } from '@temporalio/envconfig';
import type { DataConverter } from '@temporalio/common';
import { z } from 'zod';
import { createDataConverter } from '../codec/data-converter.ts';
import { PayloadKeyError, readPayloadKeys } from '../codec/payload-keys.ts';
import { defaultEnvironment } from '../contract/defaults.ts';
import type { Presets } from '../contract/presets.ts';
import { PresetsFileError, withOwnPresets } from '../contract/presets-file.ts';
import { LimiterEnvironment } from '../contract/provider.ts';
import { defaultTaskQueue } from '../contract/task-queues.ts';
import { isLoopbackHost } from '../network/loopback.ts';
import { TraceEndpointSetting } from '../tracing/endpoint.ts';
import { storeVariables } from '../stores/backends.ts';
import { isSignedPrefix } from '../stores/object-url.ts';
import { scopes } from './access/caller.ts';
import type { OidcSettings } from './sign-in/oidc-provider.ts';
import type { MediaSettings } from './files/open-files.ts';
import type { BucketSettings } from './buckets/open-buckets.ts';
import { parseTokens, type Tokens, TokensFileError } from './access/tokens.ts';

const PrefixSetting = z.string().refine(isSignedPrefix, {
  error: 'must be s3:// with a bucket and, if need be, folders, and end with /, such as s3://media/results/',
});

const Environment = z.object({
  SERVER_PORT: z.coerce.number().int().min(0).max(65_535).default(8088),
  SERVER_HOST: z.string().min(1).default('127.0.0.1'),
  SERVER_TOKENS_FILE: z.string().optional(),
  SERVER_PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'must be a URL that starts with http:// or https://' })
    .optional(),
  OIDC_ISSUER: z
    .url({ error: 'must be a URL', abort: true })
    .refine(isSafeIssuer, { error: 'must start with https://' })
    .optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  OIDC_SCOPES_CLAIM: z.string().default('scope'),
  OIDC_DEFAULT_SCOPES: z
    .string()
    .default('read,run')
    .transform((names) => (names === 'none' ? [] : names.split(',').map((name) => name.trim())))
    .pipe(z.array(z.enum(scopes))),
  SERVER_REQUESTS_PER_MINUTE: z.coerce.number().int().min(1).max(1_000_000).default(1_200),
  HOLDFAST_ENVIRONMENT: LimiterEnvironment.default(defaultEnvironment),
  TEMPORAL_TASK_QUEUE: z.string().default(defaultTaskQueue),
  TEMPORAL_UI_URL: z
    .url({ protocol: /^https?$/, error: 'must be a URL that starts with http:// or https://' })
    .optional(),
  PRESETS_FILE: z.string().optional(),
  ...storeVariables,
  UPLOAD_MAX_BYTES: z.coerce
    .number()
    .int()
    .min(1)
    .default(64 * 2 ** 30),
  UPLOAD_KEPT_HOURS: z.coerce.number().min(1).max(87_600).default(168),
  S3_UPLOAD_PREFIX: PrefixSetting.optional(),
  S3_LINK_PREFIXES: z
    .string()
    .transform((urls) => urls.split(',').map((url) => url.trim()))
    .pipe(z.array(PrefixSetting))
    .optional(),
  RESULTS_KEPT_HOURS: z.coerce.number().min(1).max(87_600).optional(),
  SERVER_LINK_KEY: z.string().min(32, { error: 'must have at least 32 characters' }).optional(),
  PAYLOAD_KEY: z.string().optional(),
  PAYLOAD_KEY_FILE: z.string().optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: TraceEndpointSetting,
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});

export interface ServerConfig {
  port: number;
  host: string;
  taskQueue: string;
  /** Whose limiters are meant, as the workers read it. */
  limiterEnvironment: string;
  temporal: { connection: ClientConnectConfig['connectionOptions']; namespace: string; uiUrl: string | undefined };
  presets: Presets;
  /** Who may call; undefined: whoever reaches it. */
  tokens: Tokens | undefined;
  /** undefined: nobody can sign in. */
  oidc: { settings: OidcSettings; publicUrl: string | undefined; secret: string | undefined } | undefined;
  /** Of each token. */
  requestsPerMinute: number;
  /** Of the workers, where they encrypt. */
  dataConverter: DataConverter | undefined;
  /** undefined: the server keeps no files. */
  media: MediaSettings | undefined;
  /** Where traces are sent; none are made where unset. */
  traceEndpoint: string | undefined;
  /** undefined: it signs nothing. */
  buckets: BucketSettings | undefined;
  logLevel: string;
}

export class ServerConfigError extends Error {
  override readonly name = 'ServerConfigError';
}

/** All that the server reads of its process's environment. Throws a ServerConfigError whose sentence names each bad variable. */
export function readConfig(environment: NodeJS.ProcessEnv): ServerConfig {
  // An empty variable counts as unset, as compose files write it.
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = Environment.safeParse(given);
  if (!parsed.success) {
    const sentences = parsed.error.issues.map(({ path, message }) => `${String(path[0])} is not valid: ${message}.`);
    throw new ServerConfigError(sentences.join(' '));
  }
  const values = parsed.data;
  const { connectionOptions, namespace = 'default' } = readTemporal(environment);
  return {
    port: values.SERVER_PORT,
    host: values.SERVER_HOST,
    taskQueue: values.TEMPORAL_TASK_QUEUE,
    limiterEnvironment: values.HOLDFAST_ENVIRONMENT,
    temporal: { connection: connectionOptions, namespace, uiUrl: values.TEMPORAL_UI_URL },
    presets: readSetting(() => withOwnPresets(values.PRESETS_FILE, (file) => readFileSync(file, 'utf8'))),
    tokens: readSetting(() => readTokens(values.SERVER_TOKENS_FILE)),
    oidc: oidcSettings(values),
    requestsPerMinute: values.SERVER_REQUESTS_PER_MINUTE,
    dataConverter: readSetting(() =>
      createDataConverter(readPayloadKeys({ key: values.PAYLOAD_KEY, file: values.PAYLOAD_KEY_FILE })),
    ),
    media: mediaSettings(values),
    traceEndpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT,
    buckets: bucketSettings(values),
    logLevel: values.LOG_LEVEL,
  };
}

/** Whoever sits between us and the issuer could say who anybody is. */
function isSafeIssuer(issuer: string): boolean {
  const { protocol, hostname } = new URL(issuer);
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));
}

function oidcSettings(values: z.infer<typeof Environment>): ServerConfig['oidc'] {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = values;
  if (issuer === undefined && clientId === undefined) return undefined;
  if (issuer === undefined || clientId === undefined) {
    throw new ServerConfigError('OIDC_ISSUER and OIDC_CLIENT_ID are set together, or neither is.');
  }
  const claims = { scopesClaim: values.OIDC_SCOPES_CLAIM, defaultScopes: values.OIDC_DEFAULT_SCOPES };
  const settings = { issuer, clientId, clientSecret, ...claims };
  return { settings, publicUrl: values.SERVER_PUBLIC_URL, secret: values.SERVER_LINK_KEY };
}

function mediaSettings(values: z.infer<typeof Environment>): ServerConfig['media'] {
  if (values.MEDIA_ROOT === undefined) return undefined;
  const { RESULTS_KEPT_HOURS: resultsKeptHours } = values;
  return {
    ...{ root: values.MEDIA_ROOT, uploadMaxBytes: values.UPLOAD_MAX_BYTES, linkKey: values.SERVER_LINK_KEY },
    uploadKeptMs: values.UPLOAD_KEPT_HOURS * 3_600_000,
    resultsKeptMs: resultsKeptHours === undefined ? undefined : resultsKeptHours * 3_600_000,
  };
}

function bucketSettings(values: z.infer<typeof Environment>): ServerConfig['buckets'] {
  const { S3_UPLOAD_PREFIX: uploads, S3_LINK_PREFIXES: links = [] } = values;
  if (uploads === undefined && links.length === 0) return undefined;
  return { stores: values, uploads, links, uploadMaxBytes: values.UPLOAD_MAX_BYTES };
}

function readSetting<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof PayloadKeyError) throw new ServerConfigError(error.message);
    if (error instanceof TokensFileError) throw new ServerConfigError(`SERVER_TOKENS_FILE ${error.message}.`);
    if (!(error instanceof PresetsFileError)) throw error;
    throw new ServerConfigError(`PRESETS_FILE is not valid: ${error.message.replace(/\.$/, '')}.`);
  }
}

function readTokens(file: string | undefined): Tokens | undefined {
  if (file === undefined) return undefined;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new TokensFileError(`cannot be read: ${(error as Error).message}`);
  }
  return parseTokens(text);
}

/** As all of Temporal's own clients read it: TEMPORAL_* and the profile in temporal.toml. */
function readTemporal(environment: NodeJS.ProcessEnv): ClientConnectConfig {
  const set = Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined);
  try {
    return loadClientConnectConfig({ overrideEnvVars: Object.fromEntries(set) });
  } catch (error) {
    throw new ServerConfigError(`Temporal's settings cannot be read: ${(error as Error).message}.`);
  }
}
