import type { Providers } from '../../activities/provider/providers.ts';
import type { Provider, ProviderPolicy, ThrottleSeconds } from '../../contract/provider.ts';
import { SettingError } from '../../process/settings.ts';
import { assertDistinctPrefixes, overrideProvider } from './override-provider.ts';
import { localProviders } from './local-providers.ts';
import type { ProviderSettings } from './provider-settings.ts';
import { readProvidersFile } from './providers-file.ts';
import { readSecret } from './secret.ts';

/** Reads PROVIDERS_FILE, adds the local keys that it does not name, and applies the variables that override it. */
export function readProviders(settings: ProviderSettings): Providers {
  const { file, local, limiterEnvironment, throttledKeys, throttleSeconds, variables } = settings;
  const declared = { ...localProviders(local), ...(file !== undefined && readProvidersFile(file, local)) };
  const unknown = throttledKeys.find((key) => !Object.hasOwn(declared, key));
  if (unknown !== undefined) {
    const where = file === undefined ? 'but PROVIDERS_FILE is not set' : `which PROVIDERS_FILE (${file}) does not`;
    throw new SettingError(`RATE_LIMIT_THROTTLE_MODELS names ${unknown}, ${where}.`);
  }
  assertDistinctPrefixes(Object.keys(declared));
  return new Map(
    Object.entries(declared).map(([key, value]) => {
      const provider = overrideProvider(key, value, variables);
      const secret = readSecret(key, provider, variables);
      const throttle = throttledKeys.includes(key) ? throttleSeconds : undefined;
      return [key, { provider, secret, policy: policyOf(key, provider, limiterEnvironment, throttle) }];
    }),
  );
}

function policyOf(
  key: string,
  provider: Provider,
  environment: string,
  throttle: ThrottleSeconds | undefined,
): ProviderPolicy {
  const { timeoutSeconds, limits, backoff, price } = provider;
  return {
    key,
    environment,
    timeoutSeconds,
    limits,
    backoff,
    ...(price !== undefined && { price }),
    ...(throttle !== undefined && { throttle }),
  };
}
