import type { Request, RequestHandler } from 'express';
import { isAskedAsLoopback } from '../../network/loopback.ts';
import { ProblemError } from '../problem-error.ts';

/** A server that asks for no token answers only to its own names, and to pages of its own alone (CSRF). */
export const requireOwnNames: RequestHandler = (request, _response, next) => {
  const { host } = request.headers;
  if (!isAskedAsLoopback(host)) {
    throw new ProblemError(
      'host_forbidden',
      'This server is asked under a name that is not its own. Ask for localhost or 127.0.0.1, or set SERVER_TOKENS_FILE.',
    );
  }
  if (!isOfOwnPage(request) && !isFromNoPage(request)) {
    throw new ProblemError('host_forbidden', 'A page of another origin may not use this server.');
  }
  next();
};

/** Browsers name the page's origin with every request that could change something, and with all that go to another origin. */
export function isOfOwnPage({ headers }: Request): boolean {
  const { origin, host } = headers;
  if (origin !== undefined) return URL.canParse(origin) && new URL(origin).host === host;
  return headers['sec-fetch-site'] === 'same-origin';
}

/** A program asks, or a person has typed the address or follows a link. */
function isFromNoPage(request: Request): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  return origin === undefined && (site === undefined || site === 'none' || isVisit(request));
}

/** Somebody follows a link of another page to ours: that page sees nothing of it. */
function isVisit({ headers, method, path }: Request): boolean {
  const isDocument = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return method === 'GET' && isDocument && !/^\/(?:api|media)(?:\/|$)/i.test(path);
}
