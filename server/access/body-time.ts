import type { RequestHandler } from 'express';

const minute = {
  /** Limit for a whole request with a small body, and for the rest of a body whose answer has been sent. */
  wholeMs: 60_000,
  /** Limit for the time between two bytes of an upload; it is checked once in this time. */
  idleMs: 60_000,
};

/** Uploads of files. Uploads to a bucket send small JSON instead. */
const upload = /^\/api\/uploads(?!\/s3(?:\/|$))/i;

/**
 * Closes the connection of a client that stalls while it sends its request. An early answer, such as a 401, does not end
 * the request: Node waits for the rest of the body.
 */
export function limitBodyTime({ wholeMs, idleMs } = minute): RequestHandler {
  return (request, response, next) => {
    const { socket } = request;
    const closeUnlessComplete = (): void => {
      if (!request.complete) socket.destroy();
    };
    const limitWhole = (): void => {
      const timer = setTimeout(closeUnlessComplete, wholeMs).unref();
      request.once('close', () => clearTimeout(timer));
    };
    if (!upload.test(request.path)) {
      limitWhole();
      return next();
    }
    let read = socket.bytesRead;
    const timer = setInterval(() => {
      if (socket.bytesRead === read) closeUnlessComplete();
      read = socket.bytesRead;
    }, idleMs).unref();
    response.once('close', () => {
      clearInterval(timer);
      if (!request.complete) limitWhole();
    });
    return next();
  };
}
