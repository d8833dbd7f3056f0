import type { Secrets } from '../activities/secrets.ts';
import { KeyHex } from '../contract/http/encryption.ts';
import { SettingError } from '../process/settings.ts';
import { readSecrets } from './bound-secrets.ts';

/** Keys by name in upper case. */
export function readPackageKeys(variables: ReadonlyMap<string, string>): Secrets {
  return readSecrets(variables, {
    prefix: 'PACKAGE_KEY_',
    nameOf: (rest) => rest.toUpperCase(),
    parse: parseKey,
    hasOrigins: false,
  });
}

function parseKey(variable: string, value: string): string {
  if (KeyHex.safeParse(value).success) return value;
  // The message must not contain the value.
  throw new SettingError(`${variable} must be a key of 32 hex digits; make one by: openssl rand -hex 16`);
}
