import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createSlots } from './jobs/slots.ts';
import { buildApp } from './app.ts';
import { readConfig, type Config } from './config.ts';
import { createSegmentedCounters } from '../engine/sound/segmented/counters.ts';
import { ServiceError } from './errors.ts';
import { errnoOf } from '../contract/unknown-values.ts';
import { createLeases } from './jobs/leases.ts';
import { createLookups } from './jobs/lookups.ts';
import { createReadiness } from './jobs/readiness.ts';
import { createJobs } from './jobs/registry.ts';
import { findSandboxProblem } from '../engine/ffmpeg/sandbox.ts';
import { findToolsProblem } from '../engine/ffmpeg/tool-check.ts';
import { errorFacts } from '../tracing/error-facts.ts';
import type { Logger } from 'pino';
import { createLog } from '../process/log.ts';
import { instanceId, packageName, version } from '../process/this-process.ts';
import { SettingError } from '../process/settings.ts';
import { createMediaAgent } from './transfer/http-agent.ts';
import { residentMemoryBytes } from '../engine/ffmpeg/resident-memory.ts';
import { createMetrics } from './jobs/metrics.ts';
import { openScratch } from './jobs/scratch.ts';
import { createTransferCounters } from './transfer/counters.ts';
import { removeNotedPartials } from './transfer/partial-copy.ts';
import { createMediaTransfer } from './transfer/transfer.ts';
import { createServer } from '../network/http.ts';
import { keepAliveTimeoutMs } from '../network/keep-alive.ts';
import type { Tracing } from '../tracing/start-tracing.ts';

/** One job at a time, an encode or a chunk job (docs/reference/container-api.md, "Admission"). */
const slotLimit = 1;

/** Time for cancelled jobs to end and for answers to their clients; then the process exits anyway. */
const shutdownTimeoutMs = 6000;

/** Times in milliseconds. */
const connectionLimits = {
  /** limits for a client to send the head of its request, and the whole request */
  headersTimeout: 5000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: keepAliveTimeoutMs,
  /** TCP keep-alive on accepted connections: NAT and firewalls forget silent connections after some minutes */
  keepAlive: true,
  keepAliveInitialDelay: 30_000,
  /** bytes of a request's head: a `line` of 2,000 characters may take 18,000 in its percent-encoding */
  maxHeaderSize: 32_768,
};

/** Decides once, so that the sandbox never fails a job. */
async function chooseSandbox(config: Config, log: Logger): Promise<void> {
  if (!config.wantsSandbox) return;
  const problem = await findSandboxProblem();
  if (problem === undefined) return;
  if (problem.protection === 'partial') {
    log.warn({ problem }, `ffmpeg's sandbox protects in part: ${problem.reason}.`);
    return;
  }
  // The guard script reads this variable.
  process.env['FFMPEG_SANDBOX'] = 'off';
  log.warn({ problem }, `ffmpeg runs without its sandbox: ${problem.reason}.`);
}

async function serve(config: Config, log: Logger): Promise<void> {
  const tracing = await startTracingOf(config, log);
  await chooseSandbox(config, log);
  const scratch = await openScratch(config.scratchDir, log, removeNotedPartials).catch((error: unknown) => {
    throw new SettingError(`SCRATCH_DIR is not valid: no folder can be made in it (${errnoOf(error)}).`);
  });
  const slots = createSlots(slotLimit);
  const segmentedCounters = createSegmentedCounters();
  const transferCounters = createTransferCounters();
  const metrics = createMetrics({
    slots,
    scratch,
    ffmpegMemoryBytes: residentMemoryBytes,
    segmented: segmentedCounters,
    transfers: transferCounters,
    isDraining: () => jobs.isDraining,
    buildId: config.buildId,
  });
  const readiness = createReadiness({
    scratch,
    isDraining: () => jobs.isDraining,
    findToolsProblem: () => findToolsProblem(config.hasVmaf),
  });
  const leases = createLeases({ slots, readiness, isDraining: () => jobs.isDraining });
  const jobs = createJobs({ slots, leases, scratch, metrics, log, jobTimeoutSeconds: config.jobTimeoutSeconds });
  const lookups = createLookups();
  const dispatcher = createMediaAgent(config.allowedAddresses, config.stallTimeoutSeconds);
  const transfer = createMediaTransfer({
    dispatcher,
    mediaRoot: config.mediaRoot,
    allowedAddresses: config.allowedAddresses,
    maxSourceBytes: config.maxSourceBytes,
    downloadConnections: config.downloadConnections,
    urlsTimeoutSeconds: config.urlsTimeoutSeconds,
    uploadLimits: {
      stallTimeoutMs: config.stallTimeoutSeconds * 1000,
      answerTimeoutMs: config.uploadAnswerTimeoutSeconds * 1000,
    },
    counters: transferCounters,
  });
  const app = buildApp({
    facts: { name: packageName, version, instanceId },
    slots,
    jobs,
    leases,
    lookups,
    metadataTimeoutSeconds: config.metadataTimeoutSeconds,
    transfer,
    scratch,
    limits: config,
    segmentedCounters,
    presets: config.presets,
    readiness,
    metrics,
    retryAfterSeconds: config.retryAfterSeconds,
    host: config.host,
    token: config.token,
    log,
  });
  const server = createServer(connectionLimits, app);

  const drain = async (signal: NodeJS.Signals): Promise<void> => {
    if (jobs.isDraining) return;
    jobs.drain();
    const running = jobs.active();
    log.info(
      { signal, activeJobs: running.length, drainTimeoutSeconds: config.drainTimeoutSeconds },
      'Draining: no new jobs',
    );
    const allEnded = Promise.all([lookups.idle(), ...running.map(({ ended }) => ended)]);
    const allReported = allEnded.then(() => jobs.allReported());
    await Promise.race([allReported, delay(config.drainTimeoutSeconds * 1000, undefined, { ref: false })]);
    // A workflow that follows the job backs off and starts it again, on this container or another.
    for (const job of running)
      job.cancel(new ServiceError('draining', 'The encoding service shut down before the job had ended.'));
    lookups.endAll(new ServiceError('draining', 'The encoding service shut down before it had inspected the source.'));
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeIdleConnections();
    await Promise.race([Promise.all([allEnded, closed]), delay(shutdownTimeoutMs, undefined, { ref: false })]);
    server.closeAllConnections();
    await Promise.all([scratch.removeAll(), tracing?.end()]);
    log.info('Drained');
    process.exit(0);
  };
  process.on('SIGTERM', (signal) => void drain(signal));
  process.on('SIGINT', (signal) => void drain(signal));

  server.listen(config.port, config.host, () => {
    const { address, port, family } = server.address() as AddressInfo;
    const host = family === 'IPv6' ? `[${address}]` : address;
    log.info({ host: address, port, instanceId }, `Listening on http://${host}:${port}`);
  });
  server.on('error', (error) => {
    log.fatal(errorFacts(error), `Cannot listen on HOST ${config.host}, PORT ${config.port}: ${error.message}`);
    process.exit(1);
  });
  const problem = await readiness();
  if (problem !== undefined) log.warn({ problem }, `Not ready: ${problem}`);
}

/** OpenTelemetry's SDK is loaded only if traces are wanted. */
async function startTracingOf({ traceEndpoint: endpoint }: Config, log: Logger): Promise<Tracing | undefined> {
  if (endpoint === undefined) return undefined;
  const { startTracing } = await import('../tracing/start-tracing.ts');
  const onProblem = (sentence: string): void => log.warn(sentence);
  return startTracing({ endpoint, service: 'holdfast-container', version, instanceId, onProblem });
}

try {
  const config = readConfig(process.env);
  await serve(config, createLog('container', config.logLevel));
} catch (error) {
  if (!(error instanceof SettingError)) throw error;
  console.error(`The container cannot start. ${error.message}`);
  process.exit(1);
}
