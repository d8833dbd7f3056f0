import type { RequestHandler } from 'express';

/** Limit for a whole request with a small body. */
const wholeMs = 60_000;
/** Limit for the time between two bytes of an upload. */
const idleMs = 60_000;

/** Closes the connection of a client that stalls while it sends its request. */
export const limitBodyTime: RequestHandler = (request, response, next) => {
  if (request.path.startsWith('/api/uploads')) {
    request.socket.setTimeout(idleMs);
    response.once('close', () => request.socket.setTimeout(0));
    return next();
  }
  const timer = setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, wholeMs);
  timer.unref();
  response.once('close', () => clearTimeout(timer));
  return next();
};
