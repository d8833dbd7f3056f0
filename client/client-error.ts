/** What went wrong, with the facts by which a caller can say what to do about it. */
export type ClientProblem =
  /** `fields` of a workflow's input, where these are wrong. */
  | { kind: 'invalid_input'; fields?: { path: string; message: string }[] }
  | { kind: 'run_not_found' }
  | { kind: 'encrypted' }
  | { kind: 'namespace_unavailable' }
  | { kind: 'no_search_attributes' }
  | { kind: 'limiter_not_found'; key: string }
  | { kind: 'limiter_ended' }
  | { kind: 'limiter_not_served' }
  | { kind: 'limiter_change_unconfirmed' }
  | { kind: 'permit_too_short' };

/** A problem that a caller of client/ can act on; the message is a sentence for a person. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly problem: ClientProblem;

  constructor(problem: ClientProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}
