import type { RequestHandler } from 'express';

/** For the whole of a request that has a small body. */
const wholeMs = 60_000;
/** Of an upload, which takes as long as it takes: without a byte of it. */
const idleMs = 60_000;

/** Ends the connection of a client that does not go on with its request. */
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
