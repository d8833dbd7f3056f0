import type { Request, RequestHandler, Response } from 'express';
import { ProblemError } from '../problem-error.ts';
import type { Caller, Scope } from './caller.ts';

const callers = new WeakMap<object, Caller>();

/** Undefined: the caller is unknown. */
export type Identify = (request: Request) => Caller | undefined | Promise<Caller | undefined>;

/**
 * Runs before the request body is read. `limitUnknown` counts only requests of unknown callers, so that they cannot lock out known
 * callers behind the same proxy address.
 */
export function authenticate(identify: Identify, limitUnknown: RequestHandler, login?: string): RequestHandler {
  return async (request, response: Response, next) => {
    const caller = await identify(request);
    if (caller === undefined) {
      await applied(limitUnknown, request, response);
      response.set('WWW-Authenticate', 'Bearer');
      const problem = new ProblemError('unauthorized', 'Send a valid token as `Authorization: Bearer …`.');
      problem.login = login;
      throw problem;
    }
    callers.set(request, caller);
    next();
  };
}

/** Resolves if the handler lets the request pass. */
export async function applied(handler: RequestHandler, request: Request, response: Response): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const next = (error?: unknown): void => (error === undefined ? resolve() : reject(error));
    void handler(request, response, next);
  });
}

/** Undefined until the request has been authenticated. */
export function knownCallerOf(request: object): Caller | undefined {
  return callers.get(request);
}

/** Takes an Express request or the Node request below it. */
export function callerOf(request: object): Caller {
  const caller = knownCallerOf(request);
  if (caller === undefined) throw new Error('the request has not been authenticated yet');
  return caller;
}

/** Returns the caller, or throws `forbidden` if the token lacks the scope. */
export function authorize(request: Request, scope: Scope): Caller {
  const caller = callerOf(request);
  if (caller.scopes.has(scope)) return caller;
  throw new ProblemError('forbidden', `The token lacks the scope "${scope}", which this request needs.`);
}
