import { ApplicationFailure } from '@temporalio/common';
import type { AttemptState, FailedAttempt } from '../../contract/activity.ts';
import { failureType, statusByErrorCode, type ErrorCode } from '../../contract/error-codes.ts';
import { retryableFailureTypes } from '../../contract/workflow/failure.ts';
import { type AnswerBody, detailsOf } from './answer-body.ts';
import { type AnswerFacts, ConnectionLost, ContainerAnswer, JobLost } from './errors.ts';

/** A job's end read as the answer that a held request would have got. */
export function answerOfJob(state: 'failed' | 'cancelled', error: AnswerBody): ContainerAnswer {
  const code = error.code ?? (state === 'cancelled' ? 'cancelled' : undefined);
  return new ContainerAnswer({
    status: isErrorCode(code) ? statusByErrorCode[code] : 500,
    message: error.error ?? (state === 'cancelled' ? 'The job was cancelled at the container' : 'The job failed'),
    code,
    details: detailsOf(error),
  });
}

/** What an attempt threw, as the name under which it crosses Temporal. */
export function attemptFailure(error: unknown, ranMs: number, carry: AttemptState): ApplicationFailure {
  if (error instanceof ApplicationFailure) return error;
  if (error instanceof ContainerAnswer) return answerFailure(error.facts, { ranMs, carry });
  if (error instanceof ConnectionLost) {
    const errno = error.errno === undefined ? {} : { errno: error.errno };
    return failure(retryableFailureTypes.connectionError, error.message, { ranMs, carry, ...errno });
  }
  if (error instanceof JobLost) {
    return failure(retryableFailureTypes.connectionError, error.message, { ranMs, carry });
  }
  return internalFailure(error, { ranMs, carry });
}

/** A bug of ours. Temporal would repeat it for ever. */
function internalFailure(error: unknown, attempt: FailedAttempt): ApplicationFailure {
  return ApplicationFailure.create({
    type: failureType('internal'),
    message: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    nonRetryable: true,
    details: [attempt],
    ...(error instanceof Error && { cause: error }),
  });
}

function answerFailure(facts: AnswerFacts, attempt: FailedAttempt): ApplicationFailure {
  const { status, message, code, details, retryAfterSeconds } = facts;
  const asked = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  const known: FailedAttempt = {
    ...attempt,
    status,
    ...(code !== undefined && { code }),
    ...(details !== undefined && { details }),
  };
  switch (status) {
    case 429:
      return failure(retryableFailureTypes.rateLimited, message, { ...known, ...asked });
    case 503:
      return failure(retryableFailureTypes.connectionError, message, { ...known, ...asked });
    case 502:
    case 504:
      return failure(retryableFailureTypes.connectionError, message, known);
    case 499:
      return failure(failureType('cancelled'), message, known);
    default:
      return failure(fatalType(status, code), message, known);
  }
}

/** Our own word for what went wrong with a reply, beside the container's codes. */
const ownCodes = new Set(['unexpected_reply']);

const codeByStatus: Partial<Record<number, ErrorCode>> = {
  400: 'invalid_request',
  401: 'unauthorized',
  404: 'not_found',
  413: 'request_too_large',
  415: 'unsupported_media_type',
  500: 'internal',
};

function fatalType(status: number, code: string | undefined): string {
  if (code !== undefined && (isErrorCode(code) || ownCodes.has(code))) return failureType(code);
  const generalCode = codeByStatus[status];
  return generalCode === undefined ? `Http${status}` : failureType(generalCode);
}

function isErrorCode(code: string | undefined): code is ErrorCode {
  return code !== undefined && Object.hasOwn(statusByErrorCode, code);
}

/** Benign: each of these is an answer that the workflow decides about, not a fault of the worker to be warned of. */
function failure(type: string, message: string, attempt: FailedAttempt): ApplicationFailure {
  return ApplicationFailure.create({ type, message, nonRetryable: true, category: 'BENIGN', details: [attempt] });
}

/** Temporal starts it again by itself, elsewhere; the job goes on meanwhile. */
export function leftToNextWorker(): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'WorkerShutdown',
    message: 'This worker shuts down; the job goes on and the next worker joins it',
    category: 'BENIGN',
  });
}
