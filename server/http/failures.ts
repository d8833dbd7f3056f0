import type { ErrorRequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { ClientError, type ClientProblem } from '../../client/client-error.ts';
import { describeEncrypted } from '../../client/encrypted.ts';
import { isTemporalAway } from '../../client/grpc-status.ts';
import type { ProblemCode } from '../../contract/server/problem.ts';
import { redactUrlsIn } from '../../contract/shown-url.ts';
import { noteForAudit } from '../access/audit.ts';
import { describeProblem, ProblemError } from '../problem-error.ts';
import { mostErrors } from './parse.ts';
import { manyValues, mostValues } from './read-json.ts';

/** A restarted Temporal server answers within seconds, and a place may become free at any time. */
const retryAfterSeconds = 5;
const passing: ReadonlySet<ProblemCode> = new Set(['temporal_unavailable', 'too_many_requests']);

const codeByClientProblem: Record<ClientProblem['kind'], ProblemCode> = {
  invalid_input: 'invalid_request',
  run_not_found: 'not_found',
  source_gone: 'source_unusable',
  encrypted: 'encrypted',
  namespace_unavailable: 'temporal_unavailable',
  no_search_attributes: 'no_search_attributes',
  limiter_not_found: 'not_found',
  limiter_ended: 'not_found',
  limiter_not_served: 'temporal_unavailable',
  limiter_change_unconfirmed: 'temporal_unavailable',
  permit_too_short: 'invalid_request',
};

export function asProblem(thrown: unknown): ProblemError {
  if (thrown instanceof ProblemError) return thrown;
  if (thrown instanceof ClientError) return clientProblem(thrown);
  // Express throws it for an undecodable path such as /%.
  if (thrown instanceof URIError) return new ProblemError('invalid_request', 'The path is not a valid URL.');
  const encrypted = describeEncrypted(thrown);
  if (encrypted !== undefined) return new ProblemError('encrypted', encrypted);
  return (
    temporalProblem(thrown) ??
    bodyProblem(thrown) ??
    new ProblemError('internal', 'The server has failed because of a bug. See its log.')
  );
}

/** Requests carry a run's input in the field `input`, so its errors get that prefix. */
function clientProblem({ problem, message }: ClientError): ProblemError {
  const fields = problem.kind === 'invalid_input' ? problem.fields : undefined;
  const errors = fields?.slice(0, mostErrors).map((field) => ({
    ...field,
    path: field.path === '' ? 'input' : `input.${field.path}`,
  }));
  const remedy = problem.kind === 'no_search_attributes' ? ' `npx holdfast setup-server` registers them.' : '';
  return new ProblemError(codeByClientProblem[problem.kind], `${message}${remedy}`, errors);
}

function temporalProblem(thrown: unknown): ProblemError | undefined {
  return isTemporalAway(thrown)
    ? new ProblemError('temporal_unavailable', 'Temporal does not answer at the moment. Try again.')
    : undefined;
}

/** Maps the errors of body-parser: https://github.com/expressjs/body-parser#errors. */
function bodyProblem(thrown: unknown): ProblemError | undefined {
  if (!(thrown instanceof Error)) return undefined;
  switch ('type' in thrown ? thrown.type : undefined) {
    case 'entity.too.large':
      return new ProblemError('request_too_large', 'The request is larger than 4 MB, the limit of the server.');
    case manyValues:
      return new ProblemError('request_too_large', `The request has more than ${mostValues} values.`);
    case 'entity.parse.failed':
      return new ProblemError('invalid_request', 'The request is not valid JSON.');
    case 'request.aborted':
    case 'request.size.invalid':
      return new ProblemError('invalid_request', 'The request ended before its declared length.');
    case 'charset.unsupported':
    case 'encoding.unsupported':
      return new ProblemError('unsupported_media_type', 'Send the request as plain UTF-8 JSON.');
  }
  return 'status' in thrown && thrown.status === 400
    ? new ProblemError('invalid_request', 'The request cannot be read.')
    : undefined;
}

export function sendProblem(response: Response, problem: ProblemError): void {
  noteForAudit(response, { code: problem.code });
  // Rate limits have set their own Retry-After.
  if (passing.has(problem.code) && !response.hasHeader('Retry-After')) {
    response.set('Retry-After', String(retryAfterSeconds));
  }
  response.status(problem.status).type('application/problem+json').send(JSON.stringify(problem.toBody()));
}

export function answerProblem(log: Logger): ErrorRequestHandler {
  return (thrown, _request, response, next) => {
    if (response.headersSent) return next(thrown);
    const problem = asProblem(thrown);
    if (problem.code === 'internal') {
      const { message, stack } = thrown instanceof Error ? thrown : new Error(String(thrown));
      log.error(
        { error: redactUrlsIn(message), stack: redactUrlsIn(stack ?? '') },
        'A request failed because of a bug',
      );
    }
    if (problem.cause !== undefined) log.warn({ error: describeProblem(problem) }, problem.message);
    return sendProblem(response, problem);
  };
}
