import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Connection } from '@temporalio/client';
import { type Logger, pino } from 'pino';
import packageFacts from '../package.json' with { type: 'json' };
import { createClient } from '../client/connection.ts';
import { keepAliveTimeoutMs } from '../network/keep-alive.ts';
import { isLoopbackHost } from '../network/loopback.ts';
import { traceFields } from '../tracing/propagate.ts';
import { buildServerApp } from './app.ts';
import { readConfig, type ServerConfig, ServerConfigError } from './config.ts';

/** For requests under way; after it the process ends anyway. */
const drainMs = 5_000;

/** A Temporal server that is up answers at once. */
const connectTimeoutMs = 3_000;

/** In milliseconds: how long a client may take to send the head of its request. Of the rest `access/body-time.ts` knows. */
const connectionLimits = {
  ...{ headersTimeout: 5_000, requestTimeout: 0, connectionsCheckingInterval: 1_000 },
  keepAliveTimeout: keepAliveTimeoutMs,
};

async function serve(config: ServerConfig): Promise<void> {
  const base = { service: 'server' };
  const log = pino({ level: config.logLevel, base, timestamp: pino.stdTimeFunctions.isoTime, mixin: traceFields });
  const tracing = await startTracingOf(config, log);
  const { connection: connectionOptions, namespace, uiUrl } = config.temporal;
  // Connects with the first request, and again after every break: the server may be there before Temporal is.
  const connection = Connection.lazy({ ...connectionOptions, connectTimeout: connectTimeoutMs });
  const client = createClient(connection, namespace, config.dataConverter, tracing?.clientInterceptors);
  const { taskQueue, limiterEnvironment, presets, tokens, oidc, requestsPerMinute, media, buckets } = config;
  const { app, stop } = buildServerApp({
    ...{ version: packageFacts.version, client, taskQueue, limiterEnvironment, uiUrl },
    ...{ presets, tokens, oidc, requestsPerMinute, media, buckets, log },
  });
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
  const isSafe = tokens !== undefined || oidc !== undefined || isLoopbackHost(config.host);
  if (!isSafe) {
    log.warn(
      `Listening on 127.0.0.1 and not on SERVER_HOST ${config.host}: without SERVER_TOKENS_FILE or OIDC_ISSUER anybody who reaches it could start and cancel runs.`,
    );
  }
  server.listen(config.port, isSafe ? config.host : '127.0.0.1', () => {
    const { address, port, family } = server.address() as AddressInfo;
    const host = family === 'IPv6' ? `[${address}]` : address;
    log.info({ host: address, port }, `Listening on http://${host}:${port}`);
  });
}

/** Nothing of OpenTelemetry's SDK is loaded where nobody asks for traces. */
async function startTracingOf({ traceEndpoint: endpoint }: ServerConfig, log: Logger) {
  if (endpoint === undefined) return undefined;
  const [{ startTracing }, { traceStarts }] = await Promise.all([
    import('../tracing/start-tracing.ts'),
    import('../tracing/trace-starts.ts'),
  ]);
  const onProblem = (sentence: string): void => log.warn(sentence);
  const { end } = startTracing({ endpoint, service: 'holdfast-server', onProblem });
  return { clientInterceptors: [traceStarts()], end };
}

try {
  await serve(readConfig(process.env));
} catch (error) {
  if (!(error instanceof ServerConfigError)) throw error;
  console.error(`The server cannot start. ${error.message}`);
  process.exit(1);
}
