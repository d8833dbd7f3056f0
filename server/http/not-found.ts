import type { RequestHandler } from 'express';
import { ProblemError } from '../problem-error.ts';
import { methodsOf } from './openapi.ts';

export const answerNothingThere: RequestHandler = (request, response) => {
  const methods = methodsOf(request.path);
  if (methods.length === 0) {
    throw new ProblemError(
      'not_found',
      `There is no endpoint ${request.method} ${request.path}. GET /api/openapi.json lists all endpoints.`,
    );
  }
  response.set('Allow', methods.join(', '));
  if (request.method === 'OPTIONS') return void response.status(204).end();
  throw new ProblemError('method_not_allowed', `${request.path} takes ${methods.join(', ')}, not ${request.method}.`);
};
