import type { Request, RequestHandler, Response } from 'express';
import { ipKeyGenerator, type Options, rateLimit } from 'express-rate-limit';
import { ProblemError } from '../problem-error.ts';
import { applied, callerOf } from './authenticate.ts';

const windowMs = 60_000;
/** Wrong tokens from one address in each window: too few to guess a token, enough to fix a configuration. */
const mostFailures = 30;

const common = {
  windowMs,
  standardHeaders: 'draft-8',
  legacyHeaders: false,
  handler: (_request, response) => {
    if (!response.hasHeader('Retry-After')) response.set('Retry-After', String(windowMs / 1000));
    throw new ProblemError('too_many_requests', 'Too many requests. Retry after the seconds in Retry-After.');
  },
} satisfies Partial<Options>;

/** Limits the requests of unknown callers by address. */
export function limitFailures(): RequestHandler {
  return rateLimit({
    ...common,
    standardHeaders: false,
    limit: mostFailures,
    keyGenerator: ({ ip = '' }: Request) => ipKeyGenerator(ip),
  });
}

/** Limits the requests of all tickets of a run. Throws `too_many_requests`. */
export function limitTickets(
  perMinute: number,
): (run: { runId: string }, request: Request, response: Response) => Promise<void> {
  const runs = new WeakMap<object, string>();
  const limit = rateLimit({ ...common, limit: perMinute, keyGenerator: (request) => runs.get(request) ?? '' });
  return async ({ runId }, request, response) => {
    runs.set(request, runId);
    await applied(limit, request, response);
  };
}

/** Limits all requests of a token. */
export function limitRequests(perMinute: number): RequestHandler {
  return rateLimit({ ...common, limit: perMinute, keyGenerator: (request) => callerOf(request).id });
}
