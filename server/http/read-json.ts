import express, { type Request, type RequestHandler, type Response } from 'express';
import { measureJson } from '../../contract/json-values.ts';
import { callerOf } from '../access/authenticate.ts';
import { Places } from '../access/places.ts';
import { ProblemError } from '../problem-error.ts';

/** The limit is above Temporal's 2 MB for an input, which has an error of its own. */
const mostBytes = '4mb';

/** Limit of values. The largest valid request, the whole result of 10,000 chunks to resume, has fewer. */
export const mostValues = 200_000;

/** Type of the error of a body with more values; `failures.ts` answers it. */
export const manyValues = 'values.too.many';

/** Bodies above this length are large. Inputs of runs have a few kilobytes. */
const largeBytes = 256 * 1024;

/** Large requests at the same time. Each may take 20 MB of the heap until it is answered. */
const largeRequests = new Places(16);
/** Functions that release the places of the responses. */
const releases = new WeakMap<object, () => void>();

const parse = express.json({
  limit: mostBytes,
  verify(_request, response, bytes, encoding) {
    if (bytes.length <= largeBytes) releases.get(response)?.();
    // Values are counted in UTF-8.
    if (encoding !== 'utf-8') throw Object.assign(new Error('not UTF-8'), { type: 'charset.unsupported' });
    if (measureJson(bytes).values > mostValues) throw Object.assign(new Error('too many values'), { type: manyValues });
  },
});

/**
 * Requires the JSON content type: a page of another origin can send other types without a preflight (CSRF). An empty request needs no
 * content type.
 */
export const readJson: RequestHandler = (request, response, next) => {
  // The client disconnected while its token was checked: no later event would release a place.
  if (request.socket.destroyed) return;
  const isEmpty = request.headers['content-length'] === '0';
  if (!isEmpty && request.is('application/json') === false) {
    throw new ProblemError('unsupported_media_type', 'Send the request as Content-Type: application/json.');
  }
  if (mayBeLarge(request)) takePlace(request, response);
  parse(request, response, next);
};

/** Takes a place until the response is closed, or until the body has turned out to be small. */
function takePlace(request: Request, response: Response): void {
  const release = largeRequests.take(callerOf(request), 'large requests are under way');
  const releaseOnce = (): void => {
    if (releases.delete(response)) release();
  };
  releases.set(response, releaseOnce);
  response.once('close', releaseOnce);
}

/** A body without a length and a compressed body may have any size. */
function mayBeLarge({ headers }: Request): boolean {
  const { 'content-length': length, 'transfer-encoding': transfer, 'content-encoding': encoding } = headers;
  return transfer !== undefined || encoding !== undefined || Number(length) > largeBytes;
}
