import type { ProviderFailure } from '../../contract/provider-call.ts';

export class CallFailed extends Error {
  override readonly name = 'CallFailed';
  readonly facts: ProviderFailure;

  constructor(message: string, facts: ProviderFailure, options?: ErrorOptions) {
    super(message, options);
    this.facts = facts;
  }
}
