import express, { type RequestHandler } from 'express';
import { ProblemError } from '../problem-error.ts';

/** The limit is above Temporal's 2 MB for an input, which has an error of its own. */
const mostBytes = '4mb';

const parse = express.json({ limit: mostBytes });

/**
 * Requires the JSON content type: a page of another origin can send other types without a preflight (CSRF). An empty request needs no
 * content type.
 */
export const readJson: RequestHandler = (request, response, next) => {
  const isEmpty = request.headers['content-length'] === '0';
  if (!isEmpty && request.is('application/json') === false) {
    throw new ProblemError('unsupported_media_type', 'Send the request as Content-Type: application/json.');
  }
  parse(request, response, next);
};
