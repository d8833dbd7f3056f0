import { unknownProvider } from '../../contract/workflow/failure.ts';
import type { Provider, ProviderNeeds, ProviderPolicy } from '../../contract/provider.ts';
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

const abilities: readonly { need: keyof ProviderNeeds; verb: string; has: (provider: Provider) => boolean }[] = [
  { need: 'voices', verb: 'tell speakers apart', has: ({ voices }) => voices === true },
  { need: 'translate', verb: 'translate', has: ({ translationUrl }) => translationUrl !== undefined },
];

/** The answer is the same for an unknown provider and for one that the requester may not use. */
export function requireProvider(
  providers: Providers,
  key: string,
  requester?: Requester,
  needs: ProviderNeeds = {},
): KnownProvider {
  const known = providers.get(key);
  const usable = [...providers].filter(([, provider]) => mayUse(provider, requester));
  if (known !== undefined && mayUse(known, requester)) {
    const missing = abilities.find(({ need, has }) => needs[need] === true && !has(known.provider));
    if (missing === undefined) return known;
    const able = usable.filter(([, { provider }]) => missing.has(provider)).map(([name]) => name);
    const others =
      able.length === 0 ? 'no provider of this worker can' : `of this worker's providers, ${able.join(', ')} can`;
    throw finalFailure(unknownProvider, `The provider ${key} cannot ${missing.verb}; ${others}`);
  }
  const names = usable.length === 0 ? 'has none' : `has ${usable.map(([name]) => name).join(', ')}`;
  throw finalFailure(unknownProvider, `Unknown provider ${key}: this worker's PROVIDERS_FILE ${names}`);
}

function mayUse({ provider: { owners } }: KnownProvider, requester: Requester | undefined): boolean {
  return owners === undefined || requester?.owner === undefined || owners.includes(requester.owner);
}
