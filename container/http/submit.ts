import type { Request, RequestHandler, Response } from 'express';
import type { JobKind } from '../../contract/http/job.ts';
import { leaseHeader } from '../../contract/http/slot.ts';
import { statusByErrorCode } from '../../contract/error-codes.ts';
import { ServiceError } from '../errors.ts';
import type { RequestBody, RequestName } from './check-request.ts';
import { parseIdempotencyKey } from './idempotency.ts';
import type { Job, JobWork } from '../jobs/job.ts';
import type { JobSubmission } from '../jobs/registry.ts';
import { refuse, showSlot, type AdmissionDeps } from './refusal.ts';
import { checkedOf } from './request-body.ts';

interface JobRoute<Kind extends JobKind & RequestName> {
  kind: Kind;
  /** Throws if the request cannot succeed with any source. Reads no input. */
  check?(request: RequestBody<Kind>): Promise<void>;
  work(request: RequestBody<Kind>): JobWork;
  /** Defaults to true. */
  needsSlot?: boolean;
}

export function prefers(request: Request, preference: 'respond-async' | 'processing'): boolean {
  return new RegExp(`(?:^|[,;\\s])${preference}(?:$|[,;\\s])`, 'i').test(request.get('Prefer') ?? '');
}

/** Milliseconds; shorter than the idle timeouts of common proxies. */
const processingIntervalMs = 10_000;

/**
 * Sends 102 at intervals to a client that asks for it. Without a request it would break clients: nginx and Python's
 * http.client take 102 for the final answer over HTTP/1.1, and HTTP/1.0 has no interim answers.
 */
function signalProcessing(request: Request, response: Response): void {
  if (!prefers(request, 'processing') || request.httpVersion === '1.0') return;
  response.set('Preference-Applied', 'processing');
  response.writeProcessing();
  const timer = setInterval(() => {
    // Node throws if the head of the answer has been sent.
    if (!response.headersSent) response.writeProcessing();
  }, processingIntervalMs);
  response.once('close', () => clearInterval(timer));
}

function answerAccepted(response: Response, job: Job): void {
  job.keep();
  response
    .status(202)
    .set({ Location: `/jobs/${job.id}`, 'Preference-Applied': 'respond-async' })
    .json({ success: true, jobId: job.id, state: 'running' });
}

/** Keeps the connection open until the job ends; a client that disconnects stops waiting for the job. */
async function answerWhenEnded(request: Request, response: Response, job: Job, onReported: () => void): Promise<void> {
  const release = job.hold();
  response.on('close', () => {
    if (!response.writableFinished) release();
  });
  signalProcessing(request, response);
  const ended = await job.ended;
  if (response.destroyed) return;
  response.once('finish', onReported);
  if (ended.state === 'succeeded') response.json(ended.result);
  else response.status(statusByErrorCode[ended.error.code]).json(ended.error);
}

/**
 * `POST /encode`, `POST /chunk` and asynchronous `POST /metadata` (docs/reference/container-api.md, "Admission" and
 * "Endpoints").
 */
export function submitRoute<Kind extends JobKind & RequestName>(
  route: JobRoute<Kind>,
  deps: AdmissionDeps,
): RequestHandler {
  return async (request, response) => {
    const idempotencyKey = parseIdempotencyKey(request.get('Idempotency-Key'));
    const { body, fingerprint } = checkedOf<Kind>(request);
    await route.check?.(body);
    // Nobody would release the job of a client that has disconnected.
    if (response.destroyed) return;
    const submission: JobSubmission = {
      kind: route.kind,
      fingerprint,
      idempotencyKey,
      lease: request.get(leaseHeader),
      needsSlot: route.needsSlot ?? true,
      work: route.work(body),
    };
    let outcome = deps.jobs.submit(submission);
    while (outcome.kind === 'ending') {
      await outcome.job.ended;
      // The client has disconnected.
      if (response.destroyed) return;
      outcome = deps.jobs.submit(submission);
    }
    showSlot(response, deps);
    switch (outcome.kind) {
      case 'busy':
      case 'draining':
      case 'lease_ended':
        return refuse(outcome.kind, response, route.kind, deps);
      case 'key_reused':
        throw new ServiceError(
          'idempotency_key_reused',
          'This Idempotency-Key was used with another request. Choose a new one.',
        );
      case 'started':
      case 'joined': {
        const { job } = outcome;
        if (prefers(request, 'respond-async') && job.state === 'running') {
          // Only workers have leases. Other clients may ask for their job at any later time.
          if (submission.lease !== undefined) deps.jobs.expectRequest(job.id);
          return answerAccepted(response, job);
        }
        return answerWhenEnded(request, response, job, () => deps.jobs.reported(job.id));
      }
    }
  };
}
