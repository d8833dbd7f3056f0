import type { Request, RequestHandler, Response } from 'express';
import { ProblemError } from '../problem-error.ts';
import type { Caller, Scope } from './caller.ts';

const callers = new WeakMap<object, Caller>();

/** Who makes a request; undefined: nobody that is known. */
export type Identify = (request: Request) => Caller | undefined | Promise<Caller | undefined>;

/**
 * Before anything of the request's body is read. `limitUnknown` sees only the requests of those who are not known: at the address of a
 * proxy they must keep nobody else out.
 */
export function authenticate(identify: Identify, limitUnknown: RequestHandler, login?: string): RequestHandler {
  return async (request, response: Response, next) => {
    const caller = await identify(request);
    if (caller === undefined) {
      await new Promise<void>((resolve, reject) => {
        const next = (error?: unknown): void => (error === undefined ? resolve() : reject(error));
        void limitUnknown(request, response, next);
      });
      response.set('WWW-Authenticate', 'Bearer');
      const problem = new ProblemError(
        'unauthorized',
        'Send a token that this server knows as `Authorization: Bearer …`.',
      );
      problem.login = login;
      throw problem;
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
