import express, { type RequestHandler } from 'express';
import { ProblemError } from '../problem-error.ts';

/** Above the 2 MB that Temporal keeps of an input, which a sentence of its own refuses. */
const mostBytes = '4mb';

const parse = express.json({ limit: mostBytes });

/**
 * Only JSON that says so: a page of another origin can have a browser send anything else without asking first. A request without a body
 * has nothing to say of it.
 */
export const readJson: RequestHandler = (request, response, next) => {
  const isEmpty = request.headers['content-length'] === '0';
  if (!isEmpty && request.is('application/json') === false) {
    throw new ProblemError('unsupported_media_type', 'Send the request as Content-Type: application/json.');
  }
  parse(request, response, next);
};
