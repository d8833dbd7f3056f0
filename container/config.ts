import { availableParallelism, tmpdir, totalmem } from 'node:os';
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { z } from 'zod';
import { PresetsSetting } from '../process/presets-setting.ts';
import {
  AllowedAddressesSetting,
  BuildIdSetting,
  FolderSetting,
  ListenPortSetting,
  LogLevelSetting,
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

/** Memory limit of the control group, and at most the machine's memory. */
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
  BUILD_ID: BuildIdSetting.optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: TraceEndpointSetting,
  LOG_LEVEL: LogLevelSetting,
});

/** All that the container reads of its process's environment. */
export function readConfig(environment: NodeJS.ProcessEnv) {
  const value = parseSettings(Environment, environment);
  return {
    port: value.PORT,
    host: value.HOST,
    retryAfterSeconds: value.RETRY_AFTER_SECONDS,
    /** Real path of the folder that `file:` URLs may name; undefined refuses them. */
    mediaRoot: value.MEDIA_ROOT,
    scratchDir: value.SCRATCH_DIR,
    token: value.CONTAINER_TOKEN,
    allowedAddresses: value.ALLOW_PRIVATE_ADDRESSES,
    /** Built-in presets and those of PRESETS_FILE. */
    presets: value.PRESETS_FILE,
    maxSourceBytes: value.MAX_SOURCE_BYTES,
    maxSourceDurationSeconds: value.MAX_SOURCE_DURATION_SECONDS,
    maxSourceStreams: value.MAX_SOURCE_STREAMS,
    /** Limit for each file that ffmpeg writes. */
    maxOutputBytes: value.MAX_OUTPUT_BYTES,
    jobTimeoutSeconds: value.JOB_TIMEOUT_SECONDS,
    /** Time limit of `/metadata`; the activities' client waits no longer. */
    metadataTimeoutSeconds: value.METADATA_TIMEOUT_SECONDS,
    /** CPU time of one ffmpeg process over all its threads: every core may be busy for as long as the job may take. */
    maxCpuSeconds: value.JOB_TIMEOUT_SECONDS * availableParallelism(),
    /** Longest time without progress of a source, an upload or ffmpeg. */
    stallTimeoutSeconds: value.STALL_TIMEOUT_SECONDS,
    /** Longest time that a job waits for the URLs of its finished files. */
    urlsTimeoutSeconds: value.UPLOAD_URLS_TIMEOUT_SECONDS,
    /** Connections to one source whose server serves ranges; 1 fetches every source in one stream. */
    downloadConnections: value.DOWNLOAD_CONNECTIONS,
    /** Time in which a store must answer once it has every byte of an upload. */
    uploadAnswerTimeoutSeconds: value.UPLOAD_ANSWER_TIMEOUT_SECONDS,
    /** ffmpeg processes that encode for one job at a time; 1 makes every output in a single run. */
    encodeParallelism: value.ENCODE_PARALLELISM,
    /** Whether ffmpeg runs in its sandbox on machines that support it. */
    wantsSandbox: value.FFMPEG_SANDBOX === 'auto',
    /** Whether VMAF_FFMPEG_PATH names an ffmpeg with libvmaf. */
    hasVmaf: value.VMAF_FFMPEG_PATH !== undefined,
    /** Limit for the estimated memory of picture encodes. */
    memoryLimitBytes: value.MEMORY_LIMIT_BYTES,
    /** Time that a running job has after SIGTERM. */
    drainTimeoutSeconds: value.DRAIN_TIMEOUT_SECONDS,
    /** Build that the metrics name. */
    buildId: value.BUILD_ID,
    /** Collector of traces; undefined makes no traces. */
    traceEndpoint: value.OTEL_EXPORTER_OTLP_ENDPOINT,
    logLevel: value.LOG_LEVEL,
  };
}

export type Config = ReturnType<typeof readConfig>;
