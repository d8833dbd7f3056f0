import { ApplicationFailure } from '@temporalio/common';
import { unknownProvider } from '../../contract/workflow/failure.ts';
import type { Provider, ProviderPolicy } from '../../contract/provider.ts';

/** One key of PROVIDERS_FILE with what the environment adds to it. */
export interface KnownProvider {
  provider: Provider;
  /** Only ever in this process's memory. */
  secret: string | undefined;
  policy: ProviderPolicy;
}

export type Providers = ReadonlyMap<string, KnownProvider>;

export function requireProvider(providers: Providers, key: string): KnownProvider {
  const known = providers.get(key);
  if (known !== undefined) return known;
  const names = providers.size === 0 ? 'knows none' : `knows ${[...providers.keys()].join(', ')}`;
  throw ApplicationFailure.create({
    type: unknownProvider,
    message: `The provider ${key} is not known: this worker's PROVIDERS_FILE ${names}`,
    nonRetryable: true,
    category: 'BENIGN',
  });
}
