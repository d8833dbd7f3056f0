import type { ProviderKey, ThrottleSeconds } from '../../contract/provider.ts';
import type { LocalProviderSettings } from './local-providers.ts';

export interface ProviderSettings {
  /** Path of PROVIDERS_FILE; undefined declares no providers. */
  file: string | undefined;
  local: LocalProviderSettings;
  /** Part of the limiters' workflow ids. */
  limiterEnvironment: string;
  /** Keys that suspend their calls after a rate-limit error. */
  throttledKeys: readonly ProviderKey[];
  throttleSeconds: ThrottleSeconds;
  /** All variables that are set. Names of secrets and of overrides for a key come from PROVIDERS_FILE. */
  variables: ReadonlyMap<string, string>;
}
