import type { Problem } from '../contract/server/problem.ts';

/** The server said no, in a sentence for a person; or it said nothing. */
export class HoldfastError extends Error {
  override readonly name = 'HoldfastError';
  /** Of HTTP; 0: no answer. */
  readonly status: number;
  /** Such as `run_ended` (docs/server.md, "Errors"); undefined where something else than the server answered. */
  readonly code: Problem['code'] | undefined;
  /** Fields that are wrong. */
  readonly errors: NonNullable<Problem['errors']>;
  /** Of `unauthorized`: where a person signs in with a browser. */
  readonly login: string | undefined;
  /** After which a `too_many_requests` or `temporal_unavailable` is worth trying again. */
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, { status, problem, retryAfterSeconds, cause }: HoldfastErrorFacts = { status: 0 }) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.code = problem?.code;
    this.errors = problem?.errors ?? [];
    this.login = problem?.login;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

interface HoldfastErrorFacts {
  status: number;
  problem?: Partial<Problem>;
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
}

/** Of an answer that is no success. */
export async function errorOf(response: Response): Promise<HoldfastError> {
  const problem = (await response.json().catch(() => ({}))) as Partial<Problem>;
  const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN);
  return new HoldfastError(problem.detail ?? `The server answered ${response.status}, without saying why.`, {
    status: response.status,
    problem,
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : undefined,
  });
}
