import type { ErrorRequestHandler, RequestHandler } from 'express';
import { asMediaError, errorBody, ServiceError } from '../errors.ts';
import { statusByErrorCode } from '../../contract/error-codes.ts';
import { errorFacts } from '../../tracing/error-facts.ts';
import type { Logger } from 'pino';
import { endpoints } from './endpoints.ts';

/** Methods of a path; every path that answers GET also answers HEAD. */
function methodsAt(path: string): string[] {
  const matching = endpoints.filter((endpoint) => {
    const pattern = endpoint.slice(endpoint.indexOf(' ') + 1).replaceAll(/:\w+/g, '[^/]+');
    return new RegExp(`^${pattern}/?$`, 'i').test(path);
  });
  return matching.flatMap((endpoint) => {
    const method = endpoint.slice(0, endpoint.indexOf(' '));
    return method === 'GET' ? ['GET', 'HEAD'] : [method];
  });
}

export const answerNotFound: RequestHandler = (request, response) => {
  const methods = methodsAt(request.path);
  if (methods.length > 0) {
    response.set('Allow', methods.join(', '));
    if (request.method === 'OPTIONS') return void response.status(204).end();
    throw new ServiceError('method_not_allowed', `${request.path} takes ${methods.join(', ')}, not ${request.method}.`);
  }
  throw new ServiceError('not_found', `There is no ${request.method} ${request.path} here.`, {
    details: { endpoints },
  });
};

export const requireJson: RequestHandler = (request, _response, next) => {
  if (request.is('application/json') === false) {
    throw new ServiceError('unsupported_media_type', 'Send the request as Content-Type: application/json.');
  }
  if (/;\s*charset\s*=\s*(?!"?utf-8"?\s*(?:;|$))/i.test(request.get('Content-Type') ?? '')) {
    throw new ServiceError('unsupported_media_type', 'Send the request as plain UTF-8 JSON.');
  }
  next();
};

export function answerFailure(log: Logger): ErrorRequestHandler {
  return (thrown, _request, response, next) => {
    if (response.headersSent) return next(thrown);
    // Express throws a URIError for an undecodable path such as `/%`.
    const error =
      thrown instanceof URIError
        ? new ServiceError('invalid_request', 'The path is not a valid URL.')
        : asMediaError(thrown);
    if (error.code === 'internal') log.error(errorFacts(thrown), 'A request failed because of a bug');
    return response.status(statusByErrorCode[error.code]).json(errorBody(error));
  };
}
