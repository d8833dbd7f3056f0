import { ApplicationFailure } from '@temporalio/common';
import type { FailedAttempt } from '../../contract/activity.ts';
import { failureType, statusByErrorCode, type ErrorCode } from '../../contract/error-codes.ts';
import { retryableFailureTypes } from '../../contract/workflow/failure.ts';
import { redactUrl } from '../../contract/shown-url.ts';
import { CredentialsUnavailable, StorageError } from '../../stores/store-error.ts';
import { type AnswerBody, detailsOf } from './answer-body.ts';
import { type AnswerFacts, ConnectionLost, ContainerAnswer, JobLost, OtherMachine, ProxyAnswer } from './errors.ts';

/** The answer that a held request would have got at that end of its job. */
export function answerOfJob(state: 'failed' | 'cancelled', error: AnswerBody): ContainerAnswer {
  const code = error.code ?? (state === 'cancelled' ? 'cancelled' : undefined);
  return new ContainerAnswer({
    status: isErrorCode(code) ? statusByErrorCode[code] : 500,
    message: error.error ?? (state === 'cancelled' ? 'The job was cancelled at the container' : 'The job failed'),
    code,
    details: detailsOf(error),
  });
}

/** Makes an ApplicationFailure of what an attempt threw. The workflow tells failures apart by its type alone. */
export function attemptFailure(error: unknown, attempt: FailedAttempt): ApplicationFailure {
  if (error instanceof ApplicationFailure) return error;
  if (error instanceof ContainerAnswer) return failureOfAnswer(error.facts, attempt);
  if (error instanceof ConnectionLost) return failureOfConnection(error, attempt);
  if (error instanceof CredentialsUnavailable) return credentialsFailure(error.message, attempt);
  if (error instanceof OtherMachine) return otherMachineFailure(error.message);
  if (error instanceof StorageError && error.passing) {
    return failure(retryableFailureTypes.connectionError, error.message, attempt);
  }
  if (error instanceof JobLost) return failure(retryableFailureTypes.connectionError, error.message, attempt);
  return internalFailure(error, attempt);
}

/** Nothing can be signed now, or a store does not accept what we have signed. */
export function credentialsFailure(message: string, attempt: FailedAttempt): ApplicationFailure {
  return failure(retryableFailureTypes.connectionError, message, { ...attempt, code: 'credentials_unavailable' });
}

/** A bug of ours. Nonretryable, because Temporal would repeat it for ever. */
function internalFailure(error: unknown, attempt: FailedAttempt): ApplicationFailure {
  return ApplicationFailure.create({
    type: failureType('internal'),
    message: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    nonRetryable: true,
    details: [attempt],
    ...(error instanceof Error && { cause: error }),
  });
}

function failureOfConnection(error: ConnectionLost, attempt: FailedAttempt): ApplicationFailure {
  const { errno, message, untrustedReason } = error;
  const containerUrl = redactUrl(error.containerUrl);
  if (untrustedReason !== undefined) {
    const sentence = `The container at ${containerUrl} cannot be trusted: ${untrustedReason}`;
    return failure('ContainerUntrusted', sentence, { ...attempt, containerUrl });
  }
  const proxy = error instanceof ProxyAnswer ? error : undefined;
  const wait = proxy?.status === 503 ? proxy.retryAfterSeconds : undefined;
  return failure(retryableFailureTypes.connectionError, message, {
    ...{ ...attempt, containerUrl },
    ...(errno !== undefined && { errno }),
    ...(proxy !== undefined && { status: proxy.status }),
    ...(wait !== undefined && { retryAfterSeconds: wait }),
  });
}

function failureOfAnswer(facts: AnswerFacts, attempt: FailedAttempt): ApplicationFailure {
  const { status, message, code, details, retryAfterSeconds } = facts;
  const retryAfter = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  const known: FailedAttempt = {
    ...attempt,
    status,
    ...(code !== undefined && { code }),
    ...(details !== undefined && { details }),
  };
  switch (status) {
    case 429:
      return failure(retryableFailureTypes.rateLimited, message, { ...known, ...retryAfter });
    case 503:
      return failure(retryableFailureTypes.connectionError, message, { ...known, ...retryAfter });
    case 502:
    case 504:
      return failure(retryableFailureTypes.connectionError, message, known);
    case 499:
      return failure(failureType('cancelled'), message, known);
    default:
      return failure(fatalType(status, code), message, known);
  }
}

/** Codes that the container does not have: the client makes them of replies that it cannot use. */
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

/** `BENIGN` keeps it out of the worker's warnings: each of these is an answer about which the workflow decides. */
function failure(type: string, message: string, attempt: FailedAttempt): ApplicationFailure {
  return ApplicationFailure.create({ type, message, nonRetryable: true, category: 'BENIGN', details: [attempt] });
}

/** Retryable, and soon: Temporal gives the activity to another worker, until it comes to one of that machine. */
function otherMachineFailure(message: string): ApplicationFailure {
  return ApplicationFailure.create({ type: 'OtherMachine', message, nextRetryDelay: '200ms', category: 'BENIGN' });
}

/** Retryable: Temporal starts the activity again at another worker, and the job goes on meanwhile. */
export function workerShutdownFailure(): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'WorkerShutdown',
    message: 'This worker shuts down; the job goes on and the next worker joins it',
    category: 'BENIGN',
  });
}
