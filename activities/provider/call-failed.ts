import type { ProviderFailure } from '../../contract/provider-call.ts';

/** A call that failed. The workflow gets its facts and decides what to do. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
  readonly facts: ProviderFailure;

  constructor(message: string, facts: ProviderFailure, options?: ErrorOptions) {
    super(message, options);
    this.facts = facts;
  }
}
