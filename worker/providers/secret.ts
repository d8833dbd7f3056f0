import type { Provider } from '../../contract/provider.ts';
import { WorkerConfigError } from '../worker-config-error.ts';

/** The secret of a key, from the variable that PROVIDERS_FILE names for it. */
export function readSecret(
  key: string,
  { secretEnv }: Provider,
  variables: ReadonlyMap<string, string>,
): string | undefined {
  if (secretEnv === undefined) return undefined;
  const secret = variables.get(secretEnv);
  if (secret === undefined) {
    throw new WorkerConfigError(
      `PROVIDERS_FILE names ${secretEnv} for the secret of ${key}, but ${secretEnv} is not set.`,
    );
  }
  // It goes into a header. The message must not contain the value.
  if (/^[\x21-\x7e]+$/.test(secret)) return secret;
  throw new WorkerConfigError(`${secretEnv}, the secret of ${key}, has characters that no HTTP header takes.`);
}
