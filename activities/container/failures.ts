import { ApplicationFailure } from '@temporalio/common';
import type { FailedAttempt } from '../../contract/activity.ts';
import { failureType, statusByErrorCode, type ErrorCode } from '../../contract/error-codes.ts';
import { retryableFailureTypes } from '../../contract/workflow/failure.ts';
import { redactUrl } from '../../contract/shown-url.ts';
import { CredentialsUnavailable, StorageError } from '../../stores/store-error.ts';
import { finalFailure } from '../final-failure.ts';
import { type AnswerBody, detailsOf } from './answer-body.ts';
import { type AnswerFacts, ConnectionLost, ContainerAnswer, JobLost, OtherMachine, ProxyAnswer } from './errors.ts';

/** The answer that a synchronous request would receive if its job ended this way. */
export function answerOfJob(state: 'failed' | 'cancelled', error: AnswerBody): ContainerAnswer {
  const code = error.code ?? (state === 'cancelled' ? 'cancelled' : undefined);
  return new ContainerAnswer({
    status: isErrorCode(code) ? statusByErrorCode[code] : 500,
    message: error.error ?? (state === 'cancelled' ? 'The job was cancelled at the container' : 'The job failed'),
    code,
    details: detailsOf(error),
    usage: error.usage,
  });
}

export function attemptFailure(error: unknown, attempt: FailedAttempt): ApplicationFailure {
  if (error instanceof ApplicationFailure) return error;
  if (error instanceof ContainerAnswer) return failureOfAnswer(error.facts, attempt);
  if (error instanceof ConnectionLost) return failureOfConnection(error, attempt);
  if (error instanceof CredentialsUnavailable) return credentialsFailure(error.message, attempt);
  if (error instanceof OtherMachine) return otherMachineFailure(error, attempt);
  if (error instanceof JobLost || (error instanceof StorageError && error.passing)) {
    return finalFailure(retryableFailureTypes.connectionError, error.message, attempt);
  }
  return internalFailure(error, attempt);
}

export function credentialsFailure(message: string, attempt: FailedAttempt): ApplicationFailure {
  return finalFailure(retryableFailureTypes.connectionError, message, { ...attempt, code: 'credentials_unavailable' });
}

/** A bug. Non-retryable, because Temporal would retry it forever. */
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
  const proxy = error instanceof ProxyAnswer ? error : undefined;
  const redirect = proxy?.location === undefined ? '' : `, which redirects to ${redactUrl(proxy.location)}`;
  const containerUrl = redactUrl(error.containerUrl) + redirect;
  if (untrustedReason !== undefined) {
    return finalFailure('ContainerUntrusted', `The container is not trusted: ${untrustedReason}`, {
      ...attempt,
      containerUrl,
    });
  }
  const wait = proxy?.status === 503 ? proxy.retryAfterSeconds : undefined;
  return finalFailure(retryableFailureTypes.connectionError, message, {
    ...attempt,
    containerUrl,
    ...(errno !== undefined && { errno }),
    ...(proxy !== undefined && { status: proxy.status }),
    ...(wait !== undefined && { retryAfterSeconds: wait }),
  });
}

function failureOfAnswer(facts: AnswerFacts, attempt: FailedAttempt): ApplicationFailure {
  const { status, message, code, details, retryAfterSeconds } = facts;
  const hasWait = retryAfterSeconds !== undefined && (status === 429 || status === 503);
  return finalFailure(typeByStatus[status] ?? fatalType(status, code), message, {
    ...attempt,
    status,
    ...(code !== undefined && { code }),
    ...(details !== undefined && { details }),
    ...(hasWait && { retryAfterSeconds }),
  });
}

const typeByStatus: Partial<Record<number, string>> = {
  429: retryableFailureTypes.rateLimited,
  499: failureType('cancelled'),
  502: retryableFailureTypes.connectionError,
  503: retryableFailureTypes.connectionError,
  504: retryableFailureTypes.connectionError,
};

/** Codes that the client assigns to unusable replies. */
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

/** Retried at once, until Temporal picks a worker on the right machine. */
function otherMachineFailure({ message, place }: OtherMachine, attempt: FailedAttempt): ApplicationFailure {
  const containerUrl = `${redactUrl(place.containerUrl)} on ${place.machine}`;
  return ApplicationFailure.create({
    type: 'OtherMachine',
    message,
    nextRetryDelay: '200ms',
    category: 'BENIGN',
    details: [{ ...attempt, containerUrl }],
  });
}

/** Retryable: the job continues, and Temporal restarts the activity on another worker. */
export function workerShutdownFailure(): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'WorkerShutdown',
    message: 'Worker is shutting down; the job continues and the next worker re-attaches to it',
    category: 'BENIGN',
  });
}
