import type { IncomingMessage, Server } from 'node:http';
import { once } from 'node:events';
import { createServer } from '../network/http.ts';
import type { ReadMetrics } from './telemetry.ts';
import type { Workers } from './workers.ts';
import { messageOf } from '../contract/unknown-values.ts';

/** Paths that the service answers; each takes GET. */
export const servicePaths = ['/health', '/ready', '/metrics'];

interface ServiceDeps {
  roles: readonly string[];
  /** Undefined while the workers start. */
  workers(): Pick<Workers, 'list' | 'temporalAnswers'> | undefined;
  metrics: ReadMetrics;
}

/**
 * Serves `GET /health`, `/ready` and `/metrics` like the container, on all IPv4 and IPv6 addresses: probes and scrapers
 * run on other machines, and nothing here is secret. Rejects if the port is not available.
 */
export async function startService(port: number, deps: ServiceDeps): Promise<Server> {
  const server = createServer((request, response) => {
    void (async () => {
      const { status, headers, body } = await answer(request, deps).catch(unavailable);
      response.writeHead(status, { 'cache-control': 'no-store', ...headers });
      response.end(request.method === 'HEAD' ? undefined : body);
    })();
  });
  server.listen(port);
  await once(server, 'listening');
  return server;
}

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

async function answer({ method = 'GET', url = '/' }: IncomingMessage, deps: ServiceDeps): Promise<Answer> {
  const path = url.split('?', 1)[0] ?? '/';
  if (!servicePaths.includes(path)) return json(404, { endpoints: servicePaths.map((known) => `GET ${known}`) });
  if (method !== 'GET' && method !== 'HEAD') {
    const refused = json(405, { reason: `${path} takes GET` });
    return { ...refused, headers: { ...refused.headers, allow: 'GET, HEAD' } };
  }
  switch (path) {
    case '/health':
      return json(200, { status: 'healthy', roles: deps.roles, workers: deps.workers()?.list() ?? [] });
    case '/ready': {
      const reason = await unreadiness(deps);
      return reason === undefined ? json(200, { status: 'ready' }) : json(503, { status: 'not_ready', reason });
    }
    default: {
      const { contentType, text } = await deps.metrics({ isDraining: isDraining(deps.workers()) });
      return { status: 200, headers: { 'content-type': contentType }, body: text };
    }
  }
}

/** Why no task would be taken now. */
async function unreadiness(deps: ServiceDeps): Promise<string | undefined> {
  const workers = deps.workers();
  const states = workers?.list().map(({ state }) => state) ?? [];
  if (workers === undefined || states.includes('INITIALIZED')) return 'starting';
  if (isDraining(workers)) return 'draining';
  return (await workers.temporalAnswers()) ? undefined : 'the Temporal server does not answer';
}

function isDraining(workers: Pick<Workers, 'list'> | undefined): boolean {
  return workers?.list().some(({ state }) => state !== 'RUNNING' && state !== 'INITIALIZED') ?? false;
}

function unavailable(error: unknown): Answer {
  return json(503, { reason: messageOf(error) });
}

function json(status: number, body: object): Answer {
  return { status, headers: { 'content-type': 'application/json; charset=utf-8' }, body: JSON.stringify(body) };
}
