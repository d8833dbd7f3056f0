import { availableParallelism, tmpdir, totalmem } from 'node:os';
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { z } from 'zod';
import type { Presets } from '../contract/presets.ts';
import type { AllowedAddresses } from '../network/address-guard.ts';
import {
  AllowedAddressesSetting,
  FolderSetting,
  ListenPortSetting,
  LogLevelSetting,
  PresetsSetting,
  TokenSetting,
  TraceEndpointSetting,
  wholeNumber,
} from '../process/setting-types.ts';
import { parseSettings } from '../process/settings.ts';

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Node's timers count milliseconds in 31 bits; a longer timer fires at once. */
const mostTimerSeconds = 2_147_483;
const TimerSeconds = wholeNumber(1, mostTimerSeconds);

/** What the control group of the container may use, and no more than the machine has. */
function ownMemoryBytes(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

const Environment = z.object({
  PORT: ListenPortSetting.default(8080),
  HOST: z.string().min(1).default('127.0.0.1'),
  RETRY_AFTER_SECONDS: wholeNumber(1, 3600).default(10),
  MEDIA_ROOT: FolderSetting.transform((path) => realpathSync(path)).optional(),
  SCRATCH_DIR: FolderSetting.default(tmpdir()),
  CONTAINER_TOKEN: TokenSetting.optional(),
  ALLOW_PRIVATE_ADDRESSES: AllowedAddressesSetting,
  PRESETS_FILE: PresetsSetting,
  MAX_SOURCE_BYTES: wholeNumber(1).default(16 * 1024 ** 3),
  MAX_SOURCE_DURATION_SECONDS: wholeNumber(1).default(24 * 3600),
  MAX_SOURCE_STREAMS: wholeNumber(1).default(64),
  MAX_OUTPUT_BYTES: wholeNumber(1).default(32 * 1024 ** 3),
  JOB_TIMEOUT_SECONDS: TimerSeconds.default(6 * 3600),
  METADATA_TIMEOUT_SECONDS: TimerSeconds.default(600),
  STALL_TIMEOUT_SECONDS: TimerSeconds.default(30),
  UPLOAD_URLS_TIMEOUT_SECONDS: TimerSeconds.default(120),
  DOWNLOAD_CONNECTIONS: wholeNumber(1, 16).default(4),
  UPLOAD_ANSWER_TIMEOUT_SECONDS: TimerSeconds.default(300),
  ENCODE_PARALLELISM: wholeNumber(1, 256).default(availableParallelism()),
  FFMPEG_SANDBOX: z.enum(['auto', 'off']).default('auto'),
  VMAF_FFMPEG_PATH: z.string().refine(isProgram, { error: 'must be an executable file' }).optional(),
  MEMORY_LIMIT_BYTES: wholeNumber(1).default(ownMemoryBytes()),
  DRAIN_TIMEOUT_SECONDS: wholeNumber(0, mostTimerSeconds).default(30),
  OTEL_EXPORTER_OTLP_ENDPOINT: TraceEndpointSetting,
  LOG_LEVEL: LogLevelSetting,
});

export interface Config {
  port: number;
  host: string;
  retryAfterSeconds: number;
  /** Real path of the folder that `file:` URLs may name; without it they are refused. */
  mediaRoot: string | undefined;
  scratchDir: string;
  token: string | undefined;
  allowedAddresses: AllowedAddresses;
  /** Holdfast's own, and those of PRESETS_FILE. */
  presets: Presets;
  maxSourceBytes: number;
  maxSourceDurationSeconds: number;
  maxSourceStreams: number;
  /** Of one file that ffmpeg writes. */
  maxOutputBytes: number;
  jobTimeoutSeconds: number;
  /** How long `/metadata` may take; the activities' client waits no longer, either. */
  metadataTimeoutSeconds: number;
  /** Of one process of ffmpeg, over all its threads: it may be busy on every core for as long as its job may take. */
  maxCpuSeconds: number;
  /** How long a source, an upload or ffmpeg may show no progress at all. */
  stallTimeoutSeconds: number;
  /** How long a job waits for the URLs of its finished files. */
  urlsTimeoutSeconds: number;
  /** To one source at a time, where its server serves ranges; 1: every source comes in one stream. */
  downloadConnections: number;
  /** How long a store that has every byte of an upload may take to answer. */
  uploadAnswerTimeoutSeconds: number;
  /** ffmpeg processes that encode for one job at a time; 1: every output is made by a single run. */
  encodeParallelism: number;
  /** ffmpeg runs in its sandbox where there can be one. */
  wantsSandbox: boolean;
  /** There is an ffmpeg with libvmaf, that of VMAF_FFMPEG_PATH. */
  hasVmaf: boolean;
  /** What encodes of pictures may be estimated at. */
  memoryLimitBytes: number;
  /** How long a running job may go on after SIGTERM. */
  drainTimeoutSeconds: number;
  /** Where traces are sent; none are made where unset. */
  traceEndpoint: string | undefined;
  logLevel: string;
}

/** All that the container reads of its process's environment. */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const value = parseSettings(Environment, environment);
  return {
    port: value.PORT,
    host: value.HOST,
    retryAfterSeconds: value.RETRY_AFTER_SECONDS,
    mediaRoot: value.MEDIA_ROOT,
    scratchDir: value.SCRATCH_DIR,
    token: value.CONTAINER_TOKEN,
    allowedAddresses: value.ALLOW_PRIVATE_ADDRESSES,
    presets: value.PRESETS_FILE,
    maxSourceBytes: value.MAX_SOURCE_BYTES,
    maxSourceDurationSeconds: value.MAX_SOURCE_DURATION_SECONDS,
    maxSourceStreams: value.MAX_SOURCE_STREAMS,
    maxOutputBytes: value.MAX_OUTPUT_BYTES,
    jobTimeoutSeconds: value.JOB_TIMEOUT_SECONDS,
    metadataTimeoutSeconds: value.METADATA_TIMEOUT_SECONDS,
    maxCpuSeconds: value.JOB_TIMEOUT_SECONDS * availableParallelism(),
    stallTimeoutSeconds: value.STALL_TIMEOUT_SECONDS,
    urlsTimeoutSeconds: value.UPLOAD_URLS_TIMEOUT_SECONDS,
    downloadConnections: value.DOWNLOAD_CONNECTIONS,
    uploadAnswerTimeoutSeconds: value.UPLOAD_ANSWER_TIMEOUT_SECONDS,
    encodeParallelism: value.ENCODE_PARALLELISM,
    wantsSandbox: value.FFMPEG_SANDBOX === 'auto',
    hasVmaf: value.VMAF_FFMPEG_PATH !== undefined,
    memoryLimitBytes: value.MEMORY_LIMIT_BYTES,
    drainTimeoutSeconds: value.DRAIN_TIMEOUT_SECONDS,
    traceEndpoint: value.OTEL_EXPORTER_OTLP_ENDPOINT,
    logLevel: value.LOG_LEVEL,
  };
}
