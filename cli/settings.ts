import { readFileSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { createDataConverter } from '../codec/data-converter.ts';
import { readPayloadKeys } from '../codec/payload-keys.ts';
import { LimiterEnvironment } from '../contract/provider.ts';
import { defaultEnvironment } from '../contract/defaults.ts';
import { hasUserInfo } from '../contract/http/url.ts';
import { PortSetting, TokenSetting } from '../process/setting-types.ts';
import { priceVariables, pricesIn } from '../process/price-settings.ts';
import { parseSettings } from '../process/settings.ts';
import { readTemporalSettings } from '../process/temporal-settings.ts';
import { defaultTaskQueue } from '../contract/task-queues.ts';

export const projectRoot = fileURLToPath(new URL('..', import.meta.url));

export function projectVersion(): string {
  return z.object({ version: z.string() }).parse(JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')))
    .version;
}

const defaultTemporalAddress = '127.0.0.1:7233';
const defaultContainerUrl = 'http://127.0.0.1:8080';
const defaultServerPort = 8088;

const HttpUrl = z.url({ protocol: /^https?$/, error: 'must be URLs that start with http:// or https://' });

const Environment = z.object({
  PORT: PortSetting.optional(),
  SEGMENT_STORE_URL: z.string().optional(),
  MEDIA_ROOT: z.string().refine(isAbsolute, { error: 'must be an absolute path' }).optional(),
  CONTAINER_URLS: z
    .string()
    .transform((text) => text.split(',').map((url) => url.trim().replace(/\/+$/, '')))
    .pipe(z.array(HttpUrl).min(1))
    .refine((urls) => !urls.some(hasUserInfo), { error: 'may not carry a user name or password' })
    .optional(),
  CONTAINER_TOKEN: TokenSetting.optional(),
  SERVER_PORT: PortSetting.optional(),
  TEMPORAL_TASK_QUEUE: z.string().default(defaultTaskQueue),
  TEMPORAL_UI_URL: HttpUrl.optional(),
  TEMPORAL_CLI_PATH: z.string().optional(),
  PAYLOAD_KEY: z.string().optional(),
  PAYLOAD_KEY_FILE: z.string().optional(),
  PRESETS_FILE: z.string().optional(),
  DEPLOYMENT_NAME: z.string().optional(),
  BUILD_ID: z.string().optional(),
  ...priceVariables,
  HOLDFAST_ENVIRONMENT: LimiterEnvironment.default(defaultEnvironment),
  HOLDFAST_HOME: z.string().default(join(projectRoot, '.holdfast')),
  INIT_CWD: z.string().optional(),
  // Set by scripts/setup.mjs; other values are ignored.
  HOLDFAST_PARENT_PID: z.coerce.number().int().optional().catch(undefined),
  TERM: z.string().optional(),
});

/** A build for Temporal's Worker Versioning. */
export interface DeploymentVersion {
  deploymentName: string;
  buildId: string;
}

/** Reads the settings. Empty variables count as unset, because compose files pass unset variables as empty. */
export function readSettings(environment: NodeJS.ProcessEnv) {
  const value = parseSettings(Environment, environment);
  const connect = readTemporalSettings(environment);
  const address = connect.connectionOptions.address;
  const stateFolder = resolve(value.HOLDFAST_HOME);
  const containerUrls =
    value.CONTAINER_URLS ?? (value.PORT === undefined ? undefined : [`http://127.0.0.1:${value.PORT}`]);
  return {
    /** Folder in which npm was called; relative paths start here. */
    userFolder: value.INIT_CWD ?? process.cwd(),
    /** `.holdfast/`: Temporal's database, logs, media in transit. */
    stateFolder,
    mediaRoot: value.MEDIA_ROOT ?? join(stateFolder, 'media'),
    /** Store for the segments of spread runs; undefined: a folder of the media root. */
    segmentStore: value.SEGMENT_STORE_URL,
    /** `isGiven`: a variable names the URLs, so no other port may be chosen. */
    containers: {
      urls: containerUrls ?? [defaultContainerUrl],
      isGiven: containerUrls !== undefined,
      token: value.CONTAINER_TOKEN,
    },
    /** `isGiven`: a variable names the port, so no other may be chosen. */
    server: { port: value.SERVER_PORT ?? defaultServerPort, isGiven: value.SERVER_PORT !== undefined },
    temporal: {
      address: address ?? defaultTemporalAddress,
      isGiven: address !== undefined,
      namespace: connect.namespace ?? 'default',
      isNamespaceGiven: connect.namespace !== undefined,
      uiUrl: value.TEMPORAL_UI_URL,
      cliPath: value.TEMPORAL_CLI_PATH,
      connection: connect.connectionOptions,
    },
    taskQueue: value.TEMPORAL_TASK_QUEUE,
    /** Encrypts payloads for Temporal; undefined if payloads are not encrypted. */
    dataConverter: createDataConverter(readPayloadKeys({ key: value.PAYLOAD_KEY, file: value.PAYLOAD_KEY_FILE })),
    /** Environment of the limiters; the workers read the same setting. */
    limiterEnvironment: value.HOLDFAST_ENVIRONMENT,
    prices: pricesIn(value),
    presetsFile: value.PRESETS_FILE,
    /** Build of a versioned worker. The worker reports if only one of the two variables is set. */
    deploymentVersion:
      value.DEPLOYMENT_NAME === undefined || value.BUILD_ID === undefined
        ? undefined
        : { deploymentName: value.DEPLOYMENT_NAME, buildId: value.BUILD_ID },
    /** Pid of the process that started this one and forwards signals. */
    parentPid: value.HOLDFAST_PARENT_PID,
    /** A terminal that cannot redraw a line. */
    isDumbTerminal: value.TERM === 'dumb',
    /** Environment of started processes: complete, because worker and container read their own settings. */
    inheritedEnvironment: environment,
  };
}

export type Settings = ReturnType<typeof readSettings>;
