import type { Request, RequestHandler } from 'express';
import { ipKeyGenerator, type Options, rateLimit } from 'express-rate-limit';
import { ProblemError } from '../problem-error.ts';
import { callerOf } from './authenticate.ts';

const windowMs = 60_000;
/** Wrong tokens from one address: nobody guesses one so, and somebody who mends a configuration is not locked out for long. */
const mostFailures = 30;

const common = {
  windowMs,
  standardHeaders: 'draft-8',
  legacyHeaders: false,
  handler: (_request, response) => {
    if (!response.hasHeader('Retry-After')) response.set('Retry-After', String(windowMs / 1000));
    throw new ProblemError('too_many_requests', 'Those were too many requests. Retry-After says when to come back.');
  },
} satisfies Partial<Options>;

/** Of an address, those of nobody that is known. */
export function limitFailures(): RequestHandler {
  return rateLimit({
    ...common,
    standardHeaders: false,
    limit: mostFailures,
    keyGenerator: ({ ip = '' }: Request) => ipKeyGenerator(ip),
  });
}

/** Of a token, all of them in any minute. */
export function limitRequests(perMinute: number): RequestHandler {
  return rateLimit({ ...common, limit: perMinute, keyGenerator: (request) => callerOf(request).id });
}
