import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { pinoHttp } from 'pino-http';
import { isRequestId, requestIdField, requestIdHeader } from '../contract/request-id.ts';
import { withRequestId } from '../tracing/request-id.ts';

interface RequestLogOptions {
  /** Requests that are not logged. */
  ignore?(url: string): boolean;
  /** Path as the log shows it; the query is never shown. */
  shownPath?(path: string): string;
}

/**
 * Identifies each request by its `X-Request-Id`, or by a new id if it has none that is valid. The id is answered, and
 * all log lines of the request carry it.
 */
export function logRequests(
  log: Logger,
  { ignore, shownPath = (path) => path }: RequestLogOptions = {},
): RequestHandler {
  const logged = pinoHttp({
    logger: log,
    autoLogging: { ignore: ({ url }) => ignore?.(url ?? '') ?? false },
    // The line is written when the answer has been sent, outside the request's own context.
    customSuccessObject: (request, _response, facts: object) => ({ ...facts, [requestIdField]: request.id }),
    customErrorObject: (request, _response, _error, facts: object) => ({ ...facts, [requestIdField]: request.id }),
    serializers: {
      // Headers and queries carry secrets.
      req: ({ method, url }: { method: string; url: string }) => ({ method, path: shownPath(url.split('?')[0] ?? '') }),
      res: ({ statusCode }: { statusCode: number }) => ({ statusCode }),
      err: ({ message }: Error) => ({ message }),
    },
  });
  return (request, response, next) => {
    const given = request.headers[requestIdHeader.toLowerCase()];
    const requestId = isRequestId(given) ? given : randomUUID();
    request.id = requestId;
    response.set(requestIdHeader, requestId);
    logged(request, response);
    withRequestId(requestId, next);
  };
}
