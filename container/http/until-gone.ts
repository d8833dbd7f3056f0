import type { Response } from 'express';
import { ServiceError } from '../errors.ts';

/** Aborts when the client disconnects or the limit has passed. `doing` starts the sentence of the timeout. */
export function untilGone(response: Response, limitSeconds: number, doing: string): AbortSignal {
  const gone = new AbortController();
  const deadline = setTimeout(() => {
    gone.abort(new ServiceError('timeout', `${doing} took longer than the limit of ${limitSeconds} seconds.`));
  }, limitSeconds * 1000);
  response.on('close', () => {
    clearTimeout(deadline);
    gone.abort(new ServiceError('cancelled', 'The client closed the connection.'));
  });
  return gone.signal;
}
