import type { RequestHandler } from 'express';
import ipaddr from 'ipaddr.js';
import { ServiceError } from '../errors.ts';

function isLoopback(host: string): boolean {
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback';
}

/** `[::1]:8080` → `::1` */
function hostNameOf(header: string): string {
  return header
    .replace(/:\d*$/, '')
    .replaceAll(/^\[|\]$/g, '')
    .toLowerCase();
}

/**
 * A page of any web site can have its own name resolve to 127.0.0.1, and a browser then lets its scripts read what a service
 * answers there (DNS rebinding). What listens to its own machine alone and asks for no token answers only to its own names.
 */
export function requireOwnHost(listensOn: string, token: string | undefined): RequestHandler {
  const isLocal = listensOn === 'localhost' || isLoopback(listensOn);
  if (!isLocal || token !== undefined) return (_request, _response, next) => next();
  return (request, _response, next) => {
    const header = request.headers.host;
    // A client of HTTP/1.0 need not send it; a browser always does.
    const host = hostNameOf(header ?? 'localhost');
    if (host === 'localhost' || host.endsWith('.localhost') || isLoopback(host)) return next();
    throw new ServiceError(
      'host_forbidden',
      'This encoding service is asked under a name that is not its own. Ask for localhost or 127.0.0.1, or set CONTAINER_TOKEN.',
    );
  };
}
