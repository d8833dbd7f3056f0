export type ClientProblem =
  | { kind: 'invalid_input'; fields?: { path: string; message: string }[] }
  | { kind: 'run_not_found' }
  | { kind: 'source_gone' }
  | { kind: 'encrypted' }
  | { kind: 'namespace_unavailable' }
  | { kind: 'no_search_attributes' }
  | { kind: 'limiter_not_found'; key: string }
  | { kind: 'limiter_ended' }
  | { kind: 'limiter_not_served' }
  | { kind: 'limiter_change_unconfirmed' }
  | { kind: 'permit_too_short' };

/** An error that callers of client/ can handle; the message is a sentence for people. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly problem: ClientProblem;

  constructor(problem: ClientProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}
