import type { Provider } from '../../contract/provider.ts';
import { SettingError } from '../../process/settings.ts';

/** Reads a key's secret from the variable that PROVIDERS_FILE names. */
export function readSecret(
  key: string,
  { secretEnv }: Provider,
  variables: ReadonlyMap<string, string>,
): string | undefined {
  if (secretEnv === undefined) return undefined;
  const secret = variables.get(secretEnv);
  if (secret === undefined) {
    throw new SettingError(`PROVIDERS_FILE names ${secretEnv} for the secret of ${key}, but ${secretEnv} is not set.`);
  }
  // The secret goes into a header. The message must not contain the value.
  if (/^[\x21-\x7e]+$/.test(secret)) return secret;
  throw new SettingError(`${secretEnv}, the secret of ${key}, has characters that no HTTP header takes.`);
}
