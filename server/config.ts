import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
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
import type { MediaSettings } from './files/open-files.ts';
import { parseTokens, type Tokens, TokensFileError } from './access/tokens.ts';

const Environment = z.object({
  SERVER_PORT: z.coerce.number().int().min(0).max(65_535).default(8088),
  SERVER_HOST: z.string().min(1).default('127.0.0.1'),
  SERVER_TOKENS_FILE: z.string().optional(),
  SERVER_REQUESTS_PER_MINUTE: z.coerce.number().int().min(1).max(1_000_000).default(1_200),
  HOLDFAST_ENVIRONMENT: LimiterEnvironment.default(defaultEnvironment),
  TEMPORAL_TASK_QUEUE: z.string().default(defaultTaskQueue),
  TEMPORAL_UI_URL: z
    .url({ protocol: /^https?$/, error: 'must be a URL that starts with http:// or https://' })
    .optional(),
  PRESETS_FILE: z.string().optional(),
  MEDIA_ROOT: z.string().refine(isAbsolute, { error: 'must be an absolute path' }).optional(),
  UPLOAD_MAX_BYTES: z.coerce
    .number()
    .int()
    .min(1)
    .default(64 * 2 ** 30),
  UPLOAD_KEPT_HOURS: z.coerce.number().min(1).max(87_600).default(168),
  SERVER_LINK_KEY: z.string().min(32, { error: 'must have at least 32 characters' }).optional(),
  PAYLOAD_KEY: z.string().optional(),
  PAYLOAD_KEY_FILE: z.string().optional(),
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
  /** Of each token. */
  requestsPerMinute: number;
  /** Of the workers, where they encrypt. */
  dataConverter: DataConverter | undefined;
  /** undefined: the server keeps no files. */
  media: MediaSettings | undefined;
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
    requestsPerMinute: values.SERVER_REQUESTS_PER_MINUTE,
    dataConverter: readSetting(() =>
      createDataConverter(readPayloadKeys({ key: values.PAYLOAD_KEY, file: values.PAYLOAD_KEY_FILE })),
    ),
    media: mediaSettings(values),
    logLevel: values.LOG_LEVEL,
  };
}

function mediaSettings(values: z.infer<typeof Environment>): ServerConfig['media'] {
  if (values.MEDIA_ROOT === undefined) return undefined;
  return {
    ...{ root: values.MEDIA_ROOT, uploadMaxBytes: values.UPLOAD_MAX_BYTES, linkKey: values.SERVER_LINK_KEY },
    uploadKeptMs: values.UPLOAD_KEPT_HOURS * 3_600_000,
  };
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
