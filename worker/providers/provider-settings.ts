import type { ProviderKey, ThrottleSeconds } from '../../contract/provider.ts';

/** What the worker's variables say about providers. */
export interface ProviderSettings {
  /** Path of PROVIDERS_FILE; unset, there are no providers. */
  file: string | undefined;
  /** Part of the limiters' workflow ids. */
  limiterEnvironment: string;
  /** Keys that suspend their calls after a rate-limit error. */
  throttledKeys: readonly ProviderKey[];
  throttleSeconds: ThrottleSeconds;
  /** All variables that are set. Some of their names are known only from PROVIDERS_FILE: of secrets, and of overrides by key. */
  variables: ReadonlyMap<string, string>;
}
