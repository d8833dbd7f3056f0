import { redactUrlsIn } from '../contract/shown-url.ts';
import { type Problem, type ProblemCode, problems } from '../contract/server/problem.ts';
import { messageOf } from '../contract/unknown-values.ts';

/** An error that is sent to the caller as it is. The message says what happened and what to do. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly code: ProblemCode;
  readonly errors: Problem['errors'];
  /** Path of the sign-in, for `unauthorized`. */
  login: string | undefined;

  constructor(code: ProblemCode, message: string, errors?: Problem['errors']) {
    super(message);
    this.code = code;
    this.errors = errors;
  }

  get status(): number {
    return problems[this.code].status;
  }

  toBody(): Problem {
    const { status, title } = problems[this.code];
    return {
      type: `urn:holdfast:problem:${this.code}`,
      title,
      status,
      detail: this.message,
      code: this.code,
      ...(this.login !== undefined && { login: this.login }),
      ...(this.errors !== undefined && { errors: this.errors }),
    };
  }
}

/** The cause of an error for the log; callers do not see it. */
export function describeProblem(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return redactUrlsIn(messageOf(cause));
}

export function isNotFound(error: unknown): error is ProblemError {
  return error instanceof ProblemError && error.code === 'not_found';
}

export function runNotFound(id: string): ProblemError {
  return new ProblemError('not_found', `There is no run ${shownId(id)}.`);
}

/** The id quoted for a sentence, cut to 100 characters. */
export function shownId(id: string): string {
  return JSON.stringify(id.length > 100 ? `${id.slice(0, 100)}…` : id);
}
