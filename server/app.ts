import type { Client } from '@temporalio/client';
import express, { type Express } from 'express';
import { pinoHttp } from 'pino-http';
import type { Logger } from 'pino';
import type { Presets } from '../contract/presets.ts';
import { authenticate } from './access/authenticate.ts';
import { requireOwnNames } from './access/own-names.ts';
import { securityHeaders } from './access/security-headers.ts';
import type { Tokens } from './access/tokens.ts';
import { limitFailures, limitRequests } from './access/rate-limits.ts';
import { limitBodyTime } from './access/body-time.ts';
import type { ServerConfig } from './config.ts';
import { RunFeed } from './events/run-feed.ts';
import { EventRoutes } from './http/events-routes.ts';
import { FileNames } from './files/file-names.ts';
import { openFiles } from './files/open-files.ts';
import { answerProblem } from './http/failures.ts';
import { mediaRouter } from './http/media-routes.ts';
import { answerNothingThere } from './http/not-found.ts';
import { serverOpenApi } from './http/openapi.ts';
import { operatorsRouter } from './http/operators-routes.ts';
import { pageRouter } from './http/page-routes.ts';
import { presetRoutes } from './http/presets-routes.ts';
import { sessionRouter } from './http/session-routes.ts';
import { announceUploads, uploadsRouter } from './http/uploads-routes.ts';
import { runsRouter } from './http/runs-routes.ts';
import { webhooksRouter } from './http/webhooks-routes.ts';
import { Limiters } from './limiters/limiters.ts';
import { readBuiltPage } from './page/built-page.ts';
import { Queue } from './queue/read-queue.ts';
import { LiveStatuses } from './runs/live-statuses.ts';
import { RegisteredAttributes } from './runs/registered-attributes.ts';
import { RunService } from './runs/run-service.ts';
import { WebhookMessages } from './webhooks/webhook-messages.ts';

export interface ServerAppOptions {
  version: string;
  client: Client;
  taskQueue: string;
  /** HOLDFAST_ENVIRONMENT */
  limiterEnvironment: string;
  uiUrl: string | undefined;
  presets: Presets;
  /** undefined: whoever reaches it may do everything, which is for loopback addresses alone. */
  tokens: Tokens | undefined;
  /** Of each token. */
  requestsPerMinute: number;
  /** undefined: it keeps no files. */
  media: ServerConfig['media'];
  log: Logger;
}

export interface ServerApp {
  app: Express;
  /** Ends what goes on between requests. */
  stop(): void;
}

/** The whole server without its socket. */
export function buildServerApp(options: ServerAppOptions): ServerApp {
  const { version, client, taskQueue, limiterEnvironment, uiUrl, presets, tokens, requestsPerMinute, media, log } =
    options;
  const files = media === undefined ? undefined : openFiles(media, log);
  const names = new FileNames(files);
  const statuses = new LiveStatuses(client);
  const attributes = new RegisteredAttributes(client);
  const runs = new RunService({ client, taskQueue, statuses, attributes, names, links: files?.links, uiUrl });
  const queue = new Queue(client, taskQueue, async () => (await attributes.names()).has('HoldfastState'));
  const limiters = new Limiters(client, limiterEnvironment);
  const feed = new RunFeed({ client, taskQueue, statuses, names, log });
  const events = new EventRoutes(runs, feed);
  const app = express();
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  app.use(
    pinoHttp({
      logger: log,
      serializers: {
        // Headers and queries carry secrets.
        req: ({ id, method, url }: { id: unknown; method: string; url: string }) => ({
          ...{ id, method },
          path: url.split('?')[0],
        }),
        res: ({ statusCode }: { statusCode: number }) => ({ statusCode }),
        err: ({ message }: Error) => ({ message }),
      },
    }),
  );
  app.use(securityHeaders);
  app.use(limitBodyTime);
  if (tokens === undefined) app.use(requireOwnNames);
  app.use(pageRouter(readBuiltPage()));
  app.get('/api/openapi.json', (_request, response) => {
    response.json(serverOpenApi(version));
  });
  if (files !== undefined) {
    app.use(mediaRouter(files.links, files.folders.root));
    app.options(['/api/uploads', '/api/uploads/:id'], announceUploads(files.uploads));
  }
  // Express would answer it by itself, with a body.
  app.options('/*path', answerNothingThere);
  if (tokens !== undefined) app.use('/api', limitFailures());
  app.use('/api', authenticate(tokens));
  if (tokens !== undefined) app.use('/api', limitRequests(requestsPerMinute));
  app.use(
    sessionRouter({
      ...{ version, hasTokens: tokens !== undefined },
      ...(files !== undefined && { uploads: { maxBytes: files.uploads.maxBytes } }),
    }),
  );
  app.use(uploadsRouter(files?.uploads));
  app.use(presetRoutes(presets));
  app.use(runsRouter(runs));
  app.use(webhooksRouter(new WebhookMessages(client, taskQueue)));
  app.use(events.router());
  app.use(operatorsRouter(queue, limiters));
  app.use(answerNothingThere);
  app.use(answerProblem(log));
  const stop = (): void => {
    events.stop();
    feed.stop();
    statuses.stop();
    files?.stop();
  };
  return { app, stop };
}
