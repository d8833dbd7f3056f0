import type { ProviderFailure } from '../../contract/provider-call.ts';

/** A failed call, with the facts by which the workflow decides. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
  readonly facts: ProviderFailure;

  constructor(message: string, facts: ProviderFailure, options?: ErrorOptions) {
    super(message, options);
    this.facts = facts;
  }
}
