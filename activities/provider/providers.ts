import { unknownProvider } from '../../contract/workflow/failure.ts';
import type { Provider, ProviderPolicy } from '../../contract/provider.ts';
import { finalFailure } from '../final-failure.ts';

/** One key of PROVIDERS_FILE with its settings from the environment. */
export interface KnownProvider {
  provider: Provider;
  /** Kept only in this process's memory. */
  secret: string | undefined;
  policy: ProviderPolicy;
}

export type Providers = ReadonlyMap<string, KnownProvider>;

export function requireProvider(providers: Providers, key: string): KnownProvider {
  const known = providers.get(key);
  if (known !== undefined) return known;
  const names = providers.size === 0 ? 'has none' : `has ${[...providers.keys()].join(', ')}`;
  throw finalFailure(unknownProvider, `Unknown provider ${key}: this worker's PROVIDERS_FILE ${names}`);
}
