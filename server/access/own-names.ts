import type { Request, RequestHandler } from 'express';
import { isAskedAsLoopback } from '../../network/loopback.ts';
import { ProblemError } from '../problem-error.ts';

/** Protects a server without tokens against DNS rebinding and CSRF: checks the Host and the page that sent the request. */
export const requireOwnNames: RequestHandler = (request, _response, next) => {
  const { host } = request.headers;
  if (!isAskedAsLoopback(host)) {
    throw new ProblemError(
      'host_forbidden',
      'The request is for an unknown host name. Use localhost or 127.0.0.1, or set SERVER_TOKENS_FILE.',
    );
  }
  if (!isOfOwnPage(request) && !isFromNoPage(request)) {
    throw new ProblemError('host_forbidden', 'A page of another origin may not use this server.');
  }
  next();
};

/** Browsers send `Origin` with every unsafe request; a same-origin GET has only `Sec-Fetch-Site`. */
export function isOfOwnPage({ headers }: Request): boolean {
  const { origin, host } = headers;
  if (origin !== undefined) return URL.canParse(origin) && new URL(origin).host === host;
  return headers['sec-fetch-site'] === 'same-origin';
}

/** True for programs, typed addresses and followed links. */
function isFromNoPage(request: Request): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  return origin === undefined && (site === undefined || site === 'none' || isVisit(request));
}

/** True if a person follows a link from another page, which cannot read our answer. */
function isVisit({ headers, method, path }: Request): boolean {
  const isDocument = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return method === 'GET' && isDocument && !/^\/(?:api|media)(?:\/|$)/i.test(path);
}
