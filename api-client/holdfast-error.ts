import type { Problem } from '../contract/server/problem.ts';

/** The server refused a request or did not answer. The message is a sentence for a person. */
export class HoldfastError extends Error {
  override readonly name = 'HoldfastError';
  /** HTTP status; 0 means no answer. */
  readonly status: number;
  /** Error code such as `run_ended` (docs/server.md, "Errors"); undefined if a proxy or a store answered. */
  readonly code: Problem['code'] | undefined;
  /** Invalid fields of the request. */
  readonly errors: NonNullable<Problem['errors']>;
  /** Address at which a person signs in; only with `unauthorized`. */
  readonly login: string | undefined;
  /** Time to wait before a retry after `too_many_requests` or `temporal_unavailable`. */
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

export async function errorOf(response: Response): Promise<HoldfastError> {
  const problem = (await response.json().catch(() => ({}))) as Partial<Problem>;
  const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN);
  return new HoldfastError(problem.detail ?? `The server answered ${response.status} without a reason.`, {
    status: response.status,
    problem,
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : undefined,
  });
}
