import type { Request, RequestHandler } from 'express';
import ipaddr from 'ipaddr.js';
import { ProblemError } from '../problem-error.ts';

export function isLoopbackHost(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback';
}

/** `[::1]:8088` → `::1` */
function hostNameOf(host: string): string {
  return host
    .replace(/:\d*$/, '')
    .replaceAll(/^\[|\]$/g, '')
    .toLowerCase();
}

/**
 * A page of any web site can have its own name resolve to 127.0.0.1 (DNS rebinding), or send a form there (CSRF). A server that asks for
 * no token answers only to its own names, and to pages of its own alone.
 */
export const requireOwnNames: RequestHandler = (request, _response, next) => {
  // A client of HTTP/1.0 need not send it; a browser always does.
  const host = request.headers.host ?? 'localhost';
  if (!isLoopbackHost(hostNameOf(host))) {
    throw new ProblemError(
      'host_forbidden',
      'This server is asked under a name that is not its own. Ask for localhost or 127.0.0.1, or set SERVER_TOKENS_FILE.',
    );
  }
  if (!isOfOwnPage(request, host)) {
    throw new ProblemError('host_forbidden', 'A page of another origin may not use this server.');
  }
  next();
};

/** Browsers name the page's origin with every request that could change something, and with all that go to another origin. */
function isOfOwnPage(request: Request, host: string): boolean {
  const { headers } = request;
  const { origin } = headers;
  if (origin !== undefined) return URL.canParse(origin) && new URL(origin).host === host;
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none' || isVisit(request);
}

/** Somebody follows a link of another page to ours: that page sees nothing of it. */
function isVisit({ headers, method, path }: Request): boolean {
  const isDocument = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return method === 'GET' && isDocument && !/^\/(?:api|media)(?:\/|$)/i.test(path);
}
