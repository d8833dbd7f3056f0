import type { ProviderFailure } from '../../contract/provider-call.ts';

/** A call that brought nothing; the facts go to the workflow, which decides. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
  readonly facts: ProviderFailure;

  constructor(message: string, facts: ProviderFailure, options?: ErrorOptions) {
    super(message, options);
    this.facts = facts;
  }
}
