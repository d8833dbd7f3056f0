import type { RequestHandler, Response } from 'express';
import type { BusyBody } from '../../contract/http/error.ts';
import type { JobKind } from '../../contract/http/job.ts';
import { leaseHeader } from '../../contract/http/slot.ts';
import { ServiceError } from '../errors.ts';
import type { Metrics } from '../jobs/metrics.ts';
import type { Jobs, Refusal } from '../jobs/registry.ts';
import type { Slots } from '../jobs/slots.ts';
import type { Logger } from 'pino';
import { parseIdempotencyKey } from './idempotency.ts';

export interface AdmissionDeps {
  slots: Slots;
  jobs: Jobs;
  metrics: Metrics;
  log: Logger;
  retryAfterSeconds: number;
}

export function showSlot(response: Response, { slots }: Pick<AdmissionDeps, 'slots'>): void {
  response.set({
    'X-RateLimit-Limit': String(slots.limit),
    'X-RateLimit-Remaining': String(Math.max(0, slots.remaining)),
  });
}

function answerBusy(response: Response, kind: JobKind, deps: AdmissionDeps): void {
  const { retryAfterSeconds } = deps;
  deps.metrics.recordRejection(kind);
  const activeJobs = deps.slots.activeIds.size;
  deps.log.info(
    { kind, activeJobs, retryAfterSeconds },
    `[RATE_LIMIT] Rejecting ${kind} request - ${activeJobs} jobs already active`,
  );
  const body: BusyBody = {
    success: false,
    error: `Encoding service is busy. Please retry in ${retryAfterSeconds} seconds.`,
    retryAfter: retryAfterSeconds,
    activeJobs,
    code: 'busy',
  };
  response.status(429).set('Retry-After', String(retryAfterSeconds)).json(body);
}

export function refuseDraining(response: Response, retryAfterSeconds: number): never {
  response.set('Retry-After', String(retryAfterSeconds));
  throw new ServiceError('draining', 'The encoding service is shutting down. Please retry in a moment.');
}

/** Answers a request that starts no job now (docs/reference/container-api.md, "Admission"). */
export function refuse(refusal: Refusal, response: Response, kind: JobKind, deps: AdmissionDeps): void {
  showSlot(response, deps);
  switch (refusal) {
    case 'busy':
      return answerBusy(response, kind, deps);
    case 'draining':
      return refuseDraining(response, deps.retryAfterSeconds);
    case 'lease_ended':
      throw new ServiceError(
        'lease_ended',
        'This lease does not hold the slot now. Request another turn with GET /slot.',
      );
  }
}

/**
 * Refuses a request before its body is read if no body could save it. Refusals must be cheap: waiting clients return
 * often while the cores work for the running job.
 */
export function refuseUnread(kind: JobKind, deps: AdmissionDeps): RequestHandler {
  return (request, response, next) => {
    const idempotencyKey = parseIdempotencyKey(request.get('Idempotency-Key'));
    const refusal = deps.jobs.refusalOf({ idempotencyKey, lease: request.get(leaseHeader) });
    if (refusal === undefined) next();
    else refuse(refusal, response, kind, deps);
  };
}
