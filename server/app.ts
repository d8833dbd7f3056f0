import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import express, { type Express } from 'express';
import type { Logger } from 'pino';
import { PastRuns } from '../client/estimates/past-runs.ts';
import { auditRequests } from './access/audit.ts';
import { authenticate, type Identify } from './access/authenticate.ts';
import { anybodyHere } from './access/caller.ts';
import { requireOwnNames } from './access/own-names.ts';
import { securityHeaders } from './access/security-headers.ts';
import { findCaller } from './access/tokens.ts';
import { RunTickets } from './access/run-tickets.ts';
import { limitFailures, limitRequests } from './access/rate-limits.ts';
import { limitBodyTime } from './access/body-time.ts';
import { openBuckets } from './buckets/open-buckets.ts';
import type { ServerConfig } from './config.ts';
import { RunFeed } from './events/run-feed.ts';
import { EventRoutes } from './http/events-routes.ts';
import { FileNames } from './files/file-names.ts';
import { openFiles } from './files/open-files.ts';
import { auditedAction } from './http/audited-action.ts';
import { estimateRouter } from './http/estimate-routes.ts';
import { answerProblem, asProblem } from './http/failures.ts';
import { inspectRouter } from './http/inspect-routes.ts';
import { loginRouter } from './http/login-routes.ts';
import { mediaRouter, withoutLinkToken } from './http/media-routes.ts';
import { metricsRouter } from './http/metrics-routes.ts';
import { traceRequests } from '../tracing/trace-requests.ts';
import { answerNotFound, answerOptions, refuseOtherMethods } from './http/not-found.ts';
import { serverOpenApi } from './http/openapi.ts';
import { operatorsRouter } from './http/operators-routes.ts';
import { pageRouter } from './http/page-routes.ts';
import { presetRoutes } from './http/presets-routes.ts';
import { readyPath, readyRouter } from './http/ready-routes.ts';
import { sessionRouter } from './http/session-routes.ts';
import { sharedRouter } from './http/shared-routes.ts';
import { s3UploadsRouter } from './http/s3-uploads-routes.ts';
import { announceUploads, uploadsRouter } from './http/uploads-routes.ts';
import { usageRouter } from './http/usage-routes.ts';
import { runsRouter } from './http/runs-routes.ts';
import { webhooksRouter } from './http/webhooks-routes.ts';
import { Inspector } from './inspect/inspector.ts';
import { Limiters } from './limiters/limiters.ts';
import { ServerMetrics } from './metrics/server-metrics.ts';
import { readBuiltPage } from './page/built-page.ts';
import { logRequests } from '../process/request-log.ts';
import { Line } from './queue/line.ts';
import { OidcProvider } from './sign-in/oidc-provider.ts';
import { SignIn } from './sign-in/sign-in.ts';
import { QueueSamples } from './queue/queue-samples.ts';
import { Queue } from './queue/read-queue.ts';
import { WorkTimes } from './queue/work-times.ts';
import { FailureCounts } from './runs/failure-counts.ts';
import { LiveStatuses } from './runs/live-statuses.ts';
import { readOpenNames } from './runs/open-names.ts';
import { RegisteredAttributes } from './runs/registered-attributes.ts';
import { RunFailures } from './runs/run-failures.ts';
import { RunService } from './runs/run-service.ts';
import { SharedRuns } from './runs/shared-runs.ts';
import { countLate, countUndelivered } from './webhooks/count-messages.ts';
import { WebhookMessages } from './webhooks/webhook-messages.ts';

export interface ServerAppOptions {
  version: string;
  config: ServerConfig;
  client: Client;
  log: Logger;
}

export interface ServerApp {
  app: Express;
  /** Ends event streams, timers and background reads when the server stops. */
  stop(): void;
}

/** The server without its socket. */
export function buildServerApp({ version, config, client, log }: ServerAppOptions): ServerApp {
  const { taskQueue, tokens, oidc } = config;
  const files = config.media && openFiles(config.media, log, () => readOpenNames(client, taskQueue));
  const buckets = config.buckets && openBuckets(config.buckets, log);
  const { ownerPrefixes } = config;
  const names = new FileNames({ ...files, bucketUploads: buckets?.uploads, ownerPrefixes });
  const [zips, shares] = [new RunTickets(config.linkKey, 'zip'), new RunTickets(config.linkKey, 'share')];
  const links = { media: files?.links, buckets: buckets?.links, transcripts: files?.transcripts, tickets: zips };
  const shared = new SharedRuns({ client, taskQueue, links, shares });
  const statuses = new LiveStatuses(client);
  const reasons = new RunFailures(client);
  const attributes = new RegisteredAttributes(client);
  const line = new Line(client, taskQueue, statuses, new WorkTimes(client, taskQueue));
  const runs = new RunService({
    client,
    taskQueue,
    statuses,
    failures: reasons,
    line,
    attributes,
    names,
    links,
    mediaRoot: config.media?.root,
    prices: config.prices,
    uiUrl: config.temporal.uiUrl,
  });
  const hasState = async () => (await attributes.names()).has('HoldfastState');
  const queue = new Queue(client, taskQueue, line, hasState, log);
  const samples = new QueueSamples(async () => queue.read(false));
  const failures = new FailureCounts(client, taskQueue, reasons);
  const limiters = new Limiters(client, config.limiterEnvironment);
  const feed = new RunFeed({ client, taskQueue, statuses, failures: reasons, line, names, log });
  const events = new EventRoutes(runs, feed);
  const endedFolder = files && join(files.folders.root, 'holdfast', 'ended-sessions');
  const signIn = oidc && new SignIn({ ...oidc, endedFolder, provider: new OidcProvider(oidc.settings) });
  const asksForTokens = tokens !== undefined || signIn !== undefined;
  const app = express();
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  app.use(logRequests(log, { ignore: (url) => url === readyPath, shownPath: withoutLinkToken }));
  app.use(auditRequests(log, auditedAction));
  app.use(securityHeaders);
  app.use(limitBodyTime());
  app.use(readyRouter(client));
  // Tickets and signed links need no further check: players on other sites use those to packages.
  app.use(sharedRouter({ runs: shared, shares, zips, requestsPerMinute: config.requestsPerMinute, log }));
  if (files !== undefined) app.use(mediaRouter(files.links, files.folders.root));
  if (!asksForTokens) app.use(requireOwnNames);
  app.use(pageRouter(readBuiltPage(), async () => (await buckets?.links.origins()) ?? []));
  app.get('/api/openapi.json', (_request, response) => {
    response.json(serverOpenApi(version));
  });
  if (files !== undefined) {
    app.options(['/api/uploads', '/api/uploads/:id'], announceUploads(files.uploads));
  }
  // Express would otherwise answer OPTIONS itself, with a body.
  app.options('/*path', answerOptions);
  const identify: Identify = (request) => {
    if (!asksForTokens) return anybodyHere;
    return findCaller(tokens ?? [], request.headers.authorization) ?? signIn?.identify(request);
  };
  if (signIn !== undefined) app.use(loginRouter(signIn));
  app.use('/api', authenticate(identify, limitFailures(), signIn && '/login'));
  app.use(refuseOtherMethods);
  if (asksForTokens) app.use('/api', limitRequests(config.requestsPerMinute));
  app.use(
    sessionRouter({
      version,
      hasTokens: asksForTokens,
      ...(files !== undefined && { uploads: { maxBytes: files.uploads.maxBytes } }),
      ...(buckets?.uploads !== undefined && { s3Uploads: { maxBytes: buckets.uploads.maxBytes } }),
    }),
  );
  app.use(s3UploadsRouter(buckets?.uploads));
  app.use(uploadsRouter(files?.uploads));
  app.use(presetRoutes(config.presets));
  // Requests that start runs are traced.
  app.post(['/api/runs', '/api/runs\\:batch', '/api/inspect'], traceRequests);
  app.post('/api/runs/:id/rerun', traceRequests);
  app.post('/api/runs/:id/webhooks/replay', traceRequests);
  app.use(runsRouter(runs, shared));
  app.use(inspectRouter(new Inspector(client, taskQueue), names));
  app.use(webhooksRouter(new WebhookMessages(client, taskQueue)));
  app.use(events.router());
  app.use(operatorsRouter({ queue, samples, failures, limiters }));
  app.use(usageRouter({ client, taskQueue, prices: config.prices }));
  app.use(estimateRouter(client, new PastRuns(client, taskQueue), config.prices));
  app.use(
    metricsRouter(
      new ServerMetrics({
        queue: () => queue.read(false),
        limiters: (withinMs) => limiters.list(asProblem, withinMs),
        undeliveredWebhooks: () => countUndelivered(client, taskQueue),
        lateWebhooks: () => countLate(client, taskQueue),
        buildId: config.buildId,
      }),
    ),
  );
  app.use(answerNotFound);
  app.use(answerProblem(log));
  const stop = (): void => {
    events.stop();
    feed.stop();
    statuses.stop();
    samples.stop();
    files?.stop();
    buckets?.stop();
  };
  return { app, stop };
}
