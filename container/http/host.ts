import type { RequestHandler } from 'express';
import { isAskedAsLoopback, isLoopbackHost } from '../../network/loopback.ts';
import { ServiceError } from '../errors.ts';

/** Refuses foreign host names if the service listens on loopback and requires no token (DNS rebinding). */
export function requireOwnHost(listensOn: string, token: string | undefined): RequestHandler {
  if (!isLoopbackHost(listensOn) || token !== undefined) return (_request, _response, next) => next();
  return (request, _response, next) => {
    if (isAskedAsLoopback(request.headers.host)) return next();
    throw new ServiceError(
      'host_forbidden',
      'The Host header does not name this machine. Use localhost or 127.0.0.1, or set CONTAINER_TOKEN.',
    );
  };
}
