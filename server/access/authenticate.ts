import type { Request, RequestHandler, Response } from 'express';
import { ProblemError } from '../problem-error.ts';
import { anybodyHere, type Caller, type Scope } from './caller.ts';
import { findCaller, type Tokens } from './tokens.ts';

const callers = new WeakMap<object, Caller>();

/** Before anything of the request's body is read. */
export function authenticate(tokens: Tokens | undefined): RequestHandler {
  return (request, response: Response, next) => {
    const caller = tokens === undefined ? anybodyHere : findCaller(tokens, request.headers.authorization);
    if (caller === undefined) {
      response.set('WWW-Authenticate', 'Bearer');
      throw new ProblemError('unauthorized', 'Send a token of SERVER_TOKENS_FILE as `Authorization: Bearer …`.');
    }
    callers.set(request, caller);
    next();
  };
}

/** Of a request of Express, or of the one of Node that it is. */
export function callerOf(request: object): Caller {
  const caller = callers.get(request);
  if (caller === undefined) throw new Error('a request is looked at before its token was');
  return caller;
}

/** The caller of a request, where its token has the scope. */
export function authorize(request: Request, scope: Scope): Caller {
  const caller = callerOf(request);
  if (caller.scopes.has(scope)) return caller;
  throw new ProblemError('forbidden', `The token lacks the scope "${scope}", which this request needs.`);
}
