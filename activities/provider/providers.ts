import { unknownProvider } from '../../contract/workflow/failure.ts';
import type { Provider, ProviderPolicy } from '../../contract/provider.ts';
import type { Requester } from '../../contract/requester.ts';
import { finalFailure } from '../final-failure.ts';

/** One key of PROVIDERS_FILE with its settings from the environment. */
export interface KnownProvider {
  provider: Provider;
  /** Kept only in this process's memory. */
  secret: string | undefined;
  policy: ProviderPolicy;
}

export type Providers = ReadonlyMap<string, KnownProvider>;

/** The answer is the same for an unknown provider and for one that the requester may not use. */
export function requireProvider(providers: Providers, key: string, requester?: Requester): KnownProvider {
  const known = providers.get(key);
  if (known !== undefined && mayUse(known, requester)) return known;
  const usable = [...providers].filter(([, provider]) => mayUse(provider, requester)).map(([name]) => name);
  const names = usable.length === 0 ? 'has none' : `has ${usable.join(', ')}`;
  throw finalFailure(unknownProvider, `Unknown provider ${key}: this worker's PROVIDERS_FILE ${names}`);
}

function mayUse({ provider: { owners } }: KnownProvider, requester: Requester | undefined): boolean {
  return owners === undefined || requester?.owner === undefined || owners.includes(requester.owner);
}
