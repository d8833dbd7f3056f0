import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Connection } from '@temporalio/client';
import type { Logger } from 'pino';
import { createClient } from '../client/connection.ts';
import { keepAliveTimeoutMs } from '../network/keep-alive.ts';
import { isLoopbackHost } from '../network/loopback.ts';
import { createLog } from '../process/log.ts';
import { instanceId, version } from '../process/this-process.ts';
import { SettingError } from '../process/settings.ts';
import { buildServerApp } from './app.ts';
import { readConfig, type ServerConfig } from './config.ts';
import { identifyStarts } from './runs/identify-starts.ts';

/** Time for requests in progress at shutdown; then the process exits. */
const drainMs = 5_000;

/** A running Temporal server accepts a connection well within this time. */
const connectTimeoutMs = 3_000;

/** Milliseconds. `access/body-time.ts` limits the time for request bodies. */
const connectionLimits = {
  headersTimeout: 5_000,
  requestTimeout: 0,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: keepAliveTimeoutMs,
};

async function serve(config: ServerConfig): Promise<void> {
  const log = createLog('server', config.logLevel);
  const tracing = await startTracingOf(config, log);
  const { connection: connectionOptions, namespace } = config.temporal;
  // Connects at the first request and reconnects after a failure, so the server may start before Temporal.
  const connection = Connection.lazy({ ...connectionOptions, connectTimeout: connectTimeoutMs });
  const client = createClient(connection, namespace, config.dataConverter, [
    identifyStarts,
    ...(tracing?.clientInterceptors ?? []),
  ]);
  const { app, stop } = buildServerApp({ version, config, client, log });
  const server = createServer(connectionLimits, app);
  const drain = (signal: NodeJS.Signals): void => {
    log.info({ signal }, 'Stopping');
    stop();
    const end = async (): Promise<never> => {
      await Promise.all([connection.close().catch(() => undefined), tracing?.end()]);
      process.exit(0);
    };
    server.close(() => void end());
    server.closeIdleConnections();
    setTimeout(() => void end(), drainMs).unref();
  };
  process.once('SIGTERM', drain);
  process.once('SIGINT', drain);
  server.on('error', (error) => {
    log.fatal(`Cannot listen on SERVER_HOST ${config.host}, SERVER_PORT ${config.port}: ${error.message}`);
    process.exit(1);
  });
  const isSafe = config.tokens !== undefined || config.oidc !== undefined || isLoopbackHost(config.host);
  if (!isSafe) {
    log.warn(
      `Listening on 127.0.0.1 and not on SERVER_HOST ${config.host}: without SERVER_TOKENS_FILE or OIDC_ISSUER anyone who can reach the server could start and cancel runs.`,
    );
  }
  server.listen(config.port, isSafe ? config.host : '127.0.0.1', () => {
    const { address, port, family } = server.address() as AddressInfo;
    const host = family === 'IPv6' ? `[${address}]` : address;
    log.info({ host: address, port }, `Listening on http://${host}:${port}`);
  });
}

/** Loads OpenTelemetry's SDK only when an endpoint is set. */
async function startTracingOf({ traceEndpoint: endpoint }: ServerConfig, log: Logger) {
  if (endpoint === undefined) return undefined;
  const [{ startTracing }, { traceStarts }] = await Promise.all([
    import('../tracing/start-tracing.ts'),
    import('../tracing/trace-starts.ts'),
  ]);
  const onProblem = (sentence: string): void => log.warn(sentence);
  const { end } = startTracing({ endpoint, service: 'holdfast-server', version, instanceId, onProblem });
  return { clientInterceptors: [traceStarts()], end };
}

try {
  await serve(readConfig(process.env));
} catch (error) {
  if (!(error instanceof SettingError)) throw error;
  console.error(`The server cannot start. ${error.message}`);
  process.exit(1);
}
