import type { RequestHandler } from 'express';
import { ProblemError } from '../problem-error.ts';
import { methodsOf } from './openapi.ts';

export const answerNotFound: RequestHandler = ({ method, path }) => {
  throw new ProblemError(
    'not_found',
    `There is no endpoint ${method} ${path}. GET /api/openapi.json lists all endpoints.`,
  );
};

export const answerOptions: RequestHandler = (request, response, next) => {
  const methods = methodsOf(request.path);
  if (methods.length === 0) return answerNotFound(request, response, next);
  return void response.status(204).set('Allow', methods.join(', ')).end();
};

/** Refuses a method that the path does not take, before an endpoint refuses the request for another reason. */
export const refuseOtherMethods: RequestHandler = ({ method, path }, response, next) => {
  const methods = methodsOf(path);
  if (methods.length === 0 || methods.includes(method)) return next();
  const allowed = methods.join(', ');
  response.set('Allow', allowed);
  throw new ProblemError('method_not_allowed', `${path} takes ${allowed}, not ${method}.`);
};
