import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';
import { ServiceError } from '../errors.ts';

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/**
 * Requires `Authorization: Bearer <token>` if a token is set. Comparing digests takes the same time for every input.
 */
export function requireToken(token: string | undefined): RequestHandler {
  if (token === undefined) return (_request, _response, next) => next();
  const expected = digest(token);
  return (request, response, next) => {
    const given = /^Bearer +(.+)$/i.exec(request.get('Authorization') ?? '')?.[1];
    if (given !== undefined && timingSafeEqual(digest(given), expected)) return next();
    response.set('WWW-Authenticate', 'Bearer');
    throw new ServiceError('unauthorized', 'This encoding service requires a bearer token (CONTAINER_TOKEN).');
  };
}
