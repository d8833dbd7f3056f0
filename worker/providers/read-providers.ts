import type { Providers } from '../../activities/provider/providers.ts';
import type { Provider, ProviderPolicy, ThrottleSeconds } from '../../contract/provider.ts';
import { SettingError } from '../../process/settings.ts';
import { assertDistinctPrefixes, overrideProvider } from './override-provider.ts';
import type { ProviderSettings } from './provider-settings.ts';
import { readProvidersFile } from './providers-file.ts';
import { readSecret } from './secret.ts';

/** Reads PROVIDERS_FILE and applies the variables that override it. */
export function readProviders(settings: ProviderSettings): Providers {
  const { file, limiterEnvironment, throttledKeys, throttleSeconds, variables } = settings;
  if (file === undefined) {
    if (throttledKeys.length === 0) return new Map();
    throw new SettingError('RATE_LIMIT_THROTTLE_MODELS names providers, but PROVIDERS_FILE is not set.');
  }
  const declared = readProvidersFile(file);
  const unknown = throttledKeys.find((key) => !Object.hasOwn(declared, key));
  if (unknown !== undefined) {
    throw new SettingError(`RATE_LIMIT_THROTTLE_MODELS names ${unknown}, which PROVIDERS_FILE (${file}) does not.`);
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
